// The measured server: the real one on a new database, in its own process. Its clock can be advanced, and an email
// takes a second to send, as long as a relay may take.
import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { openApp } from '#app.ts'
import { completeSettings, readSettings } from '#config.ts'
import { type Clock, systemClock } from '#lib/clock.ts'
import { openLog } from '#lib/log.ts'
import type { MailTransport } from '#mail/delivery.ts'
import type { Db } from '#storage/storage.ts'
import { answerParent, usage } from './child.ts'
import type { DataLocation } from './disk.ts'
import { populate, type Size } from './populate.ts'
import { seededRandom } from './seeded-random.ts'

type ServerOptions = DataLocation & {
  /** Omitted if the database has its users already. */
  size?: Size
  environment?: Readonly<Record<string, string>>
}

const { folder, databaseUrl, size, environment = {} } = JSON.parse(process.argv[2] ?? '') as ServerOptions
const machine = systemClock()
let offset = 0

const clock: Clock = {
  now: () => machine.now() + offset,
  schedule: (dueAt, job) => machine.schedule(dueAt - offset, job),
}

const slowRelay: MailTransport = {
  async send() {
    await sleep(1000, undefined, { ref: false })
    return { outcome: 'sent', reply: '250 OK' }
  },
  close: () => {},
}

const settings = completeSettings({
  ...readSettings({
    ...environment,
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    EXTERNAL_URL: 'http://localhost',
  }),
  RATE_LIMITING: false,
  INVITES_MEMBER_DAILY_MAX: 0,
  INVITES_ADMINISTRATOR_DAILY_MAX: 0,
})
const app = await openApp({ settings, clock, transport: slowRelay, log: openLog('silent') })
const { transaction } = app.services
const population = size === undefined ? {} : await populate(app.storage, size, seededRandom(20))
// PostgreSQL does this by itself within a minute, and SQLite does not need it.
if (app.storage.db.dialect === 'postgres') await run(app.storage.db, sql`analyze`)
const { port } = await app.http.listen({ host: '127.0.0.1', port: 0 })

async function run<Row>(db: Db, statement: RawBuilder<Row>): Promise<Row | undefined> {
  const { rows } = await db.executeQuery<Row>(statement.compile(db as never))
  return rows[0]
}

/** Returns the number of rows that the writing connection has written so far; SQLite only. */
async function findTotalChanges(db: Db): Promise<number> {
  return (await run(db, sql<{ total: number }>`select total_changes() as total`))?.total ?? 0
}

answerParent(
  { port, ...population },
  {
    usage,
    /** Returns the memory in MiB that is left after garbage collection. */
    collectGarbage() {
      globalThis.gc?.()
      return usage().rssMb
    },
    statements: () => app.storage.statements,
    advance(seconds: number) {
      offset += seconds
    },
    limit() {
      settings.RATE_LIMITING = true
    },
    rowsWritten: () => transaction((tx) => findTotalChanges(tx.db)),
    resubscribe: () =>
      transaction(async (tx) => {
        await tx
          .updateTable('subscriptions')
          .set({ unsubscribedAt: null })
          .where('unsubscribedAt', 'is not', null)
          .execute()
      }),
  },
  () => app.close(),
)
