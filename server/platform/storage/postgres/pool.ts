import pg from 'pg'
import type { Log } from '../../runtime/log.ts'
import { postgresTypes } from './connection.ts'
import { destroyConnection, withDeadline } from './disconnect.ts'
import { ANSWER_TIME, KEEPALIVE_DELAY, limitSession } from './session.ts'

/** Connections of the pool; each transaction has one while it is open. */
const CONNECTIONS = 10

/** Milliseconds that what is under way has to end, when they are closed and when others take their place. */
const CLOSING_TIME = 3000

type ConnectionsOptions = {
  url: string
  log: Log
  /** What the statements are for. */
  kind: 'server' | 'command'
  /** Refuses a new connection to an older copy of the database. */
  requireIds: (client: pg.ClientBase) => Promise<void>
}

/** The connections that statements run on. */
export type Connections = {
  readonly pool: pg.Pool
  /** Puts others in their place, made when they are asked for. What waits for an answer on these fails after some seconds. */
  replaceAll(): void
  /** Ends them at once: whatever waits for an answer, or asks for a connection later, fails. */
  giveUp(): void
  /** Waits for what is under way, for some seconds, and gives up the rest. */
  close(): Promise<void>
}

export function openConnections(options: ConnectionsOptions): Connections {
  const { log } = options
  let current = openPool(options)
  let isClosing = false

  function giveUp(): void {
    isClosing = true
    const given = current.abandon()
    if (given.connections > 0)
      log.error(given, 'PostgreSQL did not answer in time: what waited for it was given up, and may not be written')
  }

  return {
    get pool() {
      return current.pool
    },
    replaceAll() {
      if (isClosing) return
      const { abandon, end } = current
      current = openPool(options)
      void withDeadline(CLOSING_TIME, end(), abandon)
    },
    giveUp,
    async close() {
      isClosing = true
      await withDeadline(CLOSING_TIME, current.end(), giveUp)
    },
  }
}

/** What `pg` has no name for: all connections, those included that are being made, and who waits for one. */
type Inside = { _clients: readonly pg.ClientBase[]; _pendingQueue: { callback(error: Error): void }[] }

function openPool({ url, log, kind, requireIds }: ConnectionsOptions) {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: 10_000,
    application_name: 'parley',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_DELAY,
    // Statements go out without waiting for the answers to those before them.
    pipeline: true,
    types: postgresTypes,
    async onConnect(client) {
      await limitSession(client, kind)
      await requireIds(client)
    },
    ...(kind === 'server' && { query_timeout: ANSWER_TIME }),
  })
  const inside = pool as unknown as Inside
  let isAbandoned = false
  let ending: Promise<void> | undefined
  // The error names the connection, with all that it holds.
  pool.on('error', ({ message: reason }) => {
    if (!isAbandoned) log.warn({ reason }, 'An idle connection to PostgreSQL was lost')
  })
  // While a connection is in use its statements report its errors.
  pool.on('connect', (client) => client.on('error', () => undefined))

  function end(): Promise<void> {
    ending ??= pool.end()
    return ending
  }

  return {
    pool,
    end,
    /** How many connections were cut, and how many waited for one. */
    abandon() {
      isAbandoned = true
      const clients = [...inside._clients]
      const waiting = inside._pendingQueue.splice(0)
      void end()
      for (const { callback } of waiting) callback(new Error('PostgreSQL did not answer'))
      for (const client of clients) destroyConnection(client)
      return { connections: clients.length, waiting: waiting.length }
    },
  }
}
