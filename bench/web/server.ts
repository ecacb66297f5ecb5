// The server that the browser talks to, with one organization in memory.
import { setTimeout as sleep } from 'node:timers/promises'
import { openApp } from '#app.ts'
import { completeSettings, readSettings } from '#config.ts'
import { systemClock } from '#lib/clock.ts'
import { openMailbox } from '#mail/delivery.ts'
import { openSession, sessionCookieName } from '#people/sessions.ts'
import { answerParent } from '../child.ts'
import { fillOrganization, type OrganizationSize, sendMessages } from './organization.ts'

export type Sending = { topics: { channelId: number; topic: string }[]; count: number; pauseMs: number }

const size = JSON.parse(process.argv[2] ?? '') as OrganizationSize
const settings = completeSettings({
  ...readSettings({}),
  DATABASE_URL: 'memory',
  DATA_DIR: 'memory.data',
  EXTERNAL_URL: 'http://localhost',
  RATE_LIMITING: false,
})
const app = await openApp({ settings, transport: openMailbox(systemClock()), isDisposable: true })
const filled = await fillOrganization(app.services, size)
const { reader, author, ...topics } = filled
const { token } = await app.services.transaction((tx) => openSession(tx, reader.id, { isKept: true }))
const { port } = await app.http.listen({ host: '127.0.0.1', port: 0 })
settings.EXTERNAL_URL = `http://localhost:${port}`

answerParent(
  { port, cookie: { name: sessionCookieName(settings), value: token }, ...topics },
  {
    async send({ topics, count, pauseMs }: Sending) {
      for (let at = 0; at < count; at += 1) {
        const startedAt = performance.now()
        await sendMessages(app.services, author, [{ ...topics[at % topics.length]!, count: 1 }])
        await sleep(Math.max(0, pauseMs - (performance.now() - startedAt)))
      }
    },
  },
  () => app.close(),
)
