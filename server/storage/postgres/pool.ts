import pg from 'pg'
import type { Log } from '#lib/log.ts'
import type { ConnectionCounts } from '../storage.ts'
import {
  ANSWER_TIME,
  destroyConnection,
  KEEPALIVE_DELAY,
  limitSession,
  postgresTypes,
  withDeadline,
} from './connection.ts'

/** The time for running statements to finish, in milliseconds, when connections are closed or replaced. */
const CLOSING_TIME = 3000

type ConnectionsOptions = {
  url: string
  log: Log
  /** The maximum number of connections. Each open transaction uses one. */
  max: number
  /** The purpose of the statements. */
  kind: 'server' | 'command'
  /** Throws if a new connection leads to an older copy of the database. */
  requireIds: (client: pg.ClientBase) => Promise<void>
}

/** The connections on which statements run. */
export type Connections = {
  readonly pool: pg.Pool
  counts(): ConnectionCounts
  /**
   * Replaces all connections with new ones, which are opened on demand. Pending statements on the old ones fail after
   * some seconds.
   */
  replaceAll(): void
  /** Closes the connections at once: all pending and future statements fail. */
  giveUp(): void
  /** Waits some seconds for running statements, and aborts the rest. */
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
      log.error(
        given,
        'PostgreSQL did not answer in time: pending statements were aborted, and may not have been written',
      )
  }

  return {
    get pool() {
      return current.pool
    },
    counts() {
      const { totalCount: open, idleCount: idle, waitingCount: waiting } = current.pool
      return { max: options.max, open, idle, waiting }
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

/**
 * Internals of `pg` without a public interface: all connections, including those being opened, and the pending requests
 * for a connection.
 */
type PoolInternals = { _clients: readonly pg.ClientBase[]; _pendingQueue: { callback(error: Error): void }[] }

function openPool({ url, log, max, kind, requireIds }: ConnectionsOptions) {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: 10_000,
    application_name: 'parley',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_DELAY,
    // Statements are sent without waiting for the results of earlier ones.
    pipeline: true,
    types: postgresTypes,
    async onConnect(client) {
      await limitSession(client, kind)
      await requireIds(client)
    },
    ...(kind === 'server' && { query_timeout: ANSWER_TIME }),
  })
  const internals = pool as unknown as PoolInternals
  let isAbandoned = false
  let ending: Promise<void> | undefined
  // Only the message is logged, because the error object contains the whole connection.
  pool.on('error', ({ message: reason }) => {
    if (!isAbandoned) log.warn({ reason }, 'An idle connection to PostgreSQL was lost')
  })
  // While a connection is in use, its statements report its errors.
  pool.on('connect', (client) => client.on('error', () => undefined))

  function end(): Promise<void> {
    ending ??= pool.end()
    return ending
  }

  return {
    pool,
    end,
    /**
     * Closes all connections at once. Returns the number of connections, and the number of requests that waited for a
     * connection.
     */
    abandon() {
      isAbandoned = true
      const clients = [...internals._clients]
      const waiting = internals._pendingQueue.splice(0)
      void end()
      for (const { callback } of waiting) callback(new Error('PostgreSQL did not answer'))
      for (const client of clients) destroyConnection(client)
      return { connections: clients.length, waiting: waiting.length }
    },
  }
}
