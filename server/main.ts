import { openApp } from './app.ts'
import { readSettings } from './config.ts'
import { findRealms } from './realms/queries.ts'

const settings = readSettings()
const app = await openApp({ settings })
const { port } = await app.http.listen({ host: settings.LISTEN_HOST, port: settings.PORT })
if (settings.PORT === 0) settings.EXTERNAL_URL = settings.EXTERNAL_URL.replace(':0', `:${port}`)
process.stdout.write(`Parley listens on ${settings.EXTERNAL_URL}\n`)

// The first realm is that of the system bots.
if ((await findRealms(app.services.db)).length === 1) {
  process.stdout.write(
    'There is no organization yet. Create one, with its owner:\n' +
      '  npm run -s parley -- org create --name "Example" --owner-email you@example.com --owner-name "Your Name"\n',
  )
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, async () => {
    await app.close()
    process.exit(0)
  })
}
