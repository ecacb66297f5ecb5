import { openApp } from './app.ts'
import { readSettings } from './config.ts'
import { findRealms } from './realms/queries.ts'
import { StorageUnavailable } from './storage/engine.ts'

/** Ends the process with a sentence for whoever started it. */
function giveUp(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** What stands in the way of a start, in words; null for what must be a bug. */
function explain(error: unknown): string | null {
  if (error instanceof StorageUnavailable) return error.message
  if (!(error instanceof Error)) return null
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `Something listens on port ${settings.PORT} already. Choose another: PORT=9992 npm start`
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL') return `Cannot listen on ${settings.LISTEN_HOST}: ${error.message}`
  return null
}

async function start() {
  await using opening = new AsyncDisposableStack()
  const app = opening.use(await openApp({ settings }))
  const { port } = await app.http.listen({ host: settings.LISTEN_HOST, port: settings.PORT })
  if (settings.PORT === 0) settings.EXTERNAL_URL = settings.EXTERNAL_URL.replace(/:0$/, `:${port}`)
  opening.move()
  return app
}

let settings: ReturnType<typeof readSettings>
try {
  settings = readSettings()
} catch (error) {
  giveUp((error as Error).message)
}
const app = await start().catch((error: unknown) => {
  const message = explain(error)
  if (message === null) throw error
  return giveUp(message)
})

process.stdout.write(`Parley listens on ${settings.EXTERNAL_URL}\n`)
// The first realm is that of the system bots.
if ((await findRealms(app.services.db)).length === 1)
  process.stdout.write(
    'There is no organization yet. Create one, with its owner, from another terminal:\n' +
      '  npm run -s parley -- org create --name "Example" --owner-email you@example.com --owner-name "Your Name"\n',
  )

// A third of the memory is what only the start needed.
globalThis.gc?.()

let isStopping = false
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (isStopping) return
    isStopping = true
    void app.close().finally(() => process.exit())
  })
}
