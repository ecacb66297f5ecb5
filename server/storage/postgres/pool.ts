import pg from 'pg'
import type { Log } from '../../base/log.ts'
import { postgresTypes } from './connection.ts'
import { cut, inTime } from './part.ts'

/** Connections of the pool; each transaction has one while it is open. */
const CONNECTIONS = 10

/** Milliseconds that what is under way has to end when they are closed. */
const CLOSING_TIME = 3000

/** The connections that statements run on. */
export type Connections = {
  readonly pool: pg.Pool
  /** Ends them at once: whatever waits for one of them, or asks for one later, fails. */
  giveUp(): void
  /** Waits for what is under way, for some seconds, and gives up the rest. */
  close(): Promise<void>
}

/** What `pg` has no name for: all connections, those included that are being made, and who waits for one. */
type Inside = { _clients: readonly pg.ClientBase[]; _pendingQueue: { callback(error: Error): void }[] }

export function openConnections(url: string, log: Log): Connections {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: 10_000,
    application_name: 'parley',
    keepAlive: true,
    types: postgresTypes,
  })
  const inside = pool as unknown as Inside
  const areCut = new WeakSet<pg.ClientBase>()
  let ending: Promise<void> | undefined
  pool.on('error', (error, client) => {
    if (!areCut.has(client)) log.warn({ err: error }, 'An idle connection to PostgreSQL was lost')
  })
  // While a connection is in use its statements report its errors.
  pool.on('connect', (client) => client.on('error', () => undefined))

  function end(): Promise<void> {
    ending ??= pool.end()
    return ending
  }

  function giveUp(): void {
    void end()
    const [clients, waiting] = [[...inside._clients], inside._pendingQueue.splice(0)]
    if (clients.length > 0)
      log.error(
        { connections: clients.length, waiting: waiting.length },
        'PostgreSQL did not answer in time: what waited for it was given up, and may not be written',
      )
    for (const { callback } of waiting) callback(new Error('No connection to PostgreSQL came free in time'))
    for (const client of clients) {
      areCut.add(client)
      cut(client)
    }
  }

  return {
    pool,
    giveUp,
    async close() {
      await inTime(CLOSING_TIME, end(), giveUp)
    },
  }
}
