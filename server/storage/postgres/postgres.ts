import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { DiskFull } from '#lib/errors.ts'
import {
  CommitOutcomeUnknown,
  DatabaseUnavailable,
  LockTimeout,
  ORGANIZATION_MOVING,
  OrganizationMoving,
} from '../storage.ts'
import { type CommitMessage, type Engine, type OpenTransaction, retryLockTimeouts } from '../transactions/engine.ts'
import {
  isLostStatement,
  isOutdatedPlan,
  type SessionKind,
  statementNamer,
  toQueryResult,
  transactionLimits,
} from './connection.ts'
import type { DatabaseLock } from './database-lock.ts'
import type { Connections } from './pool.ts'

/**
 * SQLSTATE: connection exceptions, transactions terminated with their connection because they were idle or took too
 * long, a server that shuts down or starts, and a server without free connections.
 */
const UNAVAILABLE = /^(08|25P0[34]|57P0[1-5]|53300)/

/** SQLSTATE `query_canceled`: the statement took too long, or a database administrator canceled it. */
const CANCELLED = '57014'

/** SQLSTATE `lock_not_available`. */
const LOCK_TIMEOUT = '55P03'

/** SQLSTATE: internal and system errors, after which the state of the transaction is unknown. */
const FAULT = /^(58|F0|XX)/

/** SQLSTATE `disk_full`. */
const FULL = '53100'

/**
 * Converts the error of a statement and throws it: `DatabaseUnavailable` if PostgreSQL cannot be reached or canceled
 * the statement, `LockTimeout` if a lock was not free in time, `OrganizationMoving` if the organization may not be
 * changed here, `DiskFull` if there is no room.
 */
export function rethrowPostgresError(error: unknown): never {
  if (error instanceof pg.DatabaseError && error.code === LOCK_TIMEOUT)
    throw new LockTimeout(error.message, { cause: error })
  if (error instanceof pg.DatabaseError && error.code === ORGANIZATION_MOVING)
    throw new OrganizationMoving(error.message, { cause: error })
  if (error instanceof pg.DatabaseError && error.code === FULL) throw new DiskFull(error.message, { cause: error })
  throw isUnavailable(error) ? new DatabaseUnavailable((error as Error).message, { cause: error }) : error
}

/** Returns whether PostgreSQL itself rejected a statement or a commit, so that the transaction is rolled back. */
function isRolledBackByPostgres(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code !== undefined &&
    !UNAVAILABLE.test(error.code) &&
    !FAULT.test(error.code)
  )
}

/**
 * Returns whether PostgreSQL is unavailable. The driver reports connection problems as plain `Error` or as system
 * errors; programming errors have their own classes.
 */
function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code === CANCELLED || UNAVAILABLE.test(error.code ?? '')
  return error instanceof Error && (error.constructor === Error || 'syscall' in error)
}

/** How a commit is announced to the processes that serve the database. */
export type Announcement = {
  /** Returns the statement that is sent together with the commit; null if nothing is announced. */
  toQuery(message: CommitMessage | undefined): CompiledQuery | null
  /** Called after the commit with the result of the statement. */
  onCommitted?(message: CommitMessage, rows: readonly unknown[]): void
}

/** The channel on which nodes and commands announce their commits; the serving processes listen to it. */
export const COMMIT_CHANNEL = 'parley_commit'

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'

type PostgresEngineOptions = {
  connections: Connections
  /** True if a pooler may give each transaction another session: then each begins with its limits. */
  isPooled: boolean
  kind: SessionKind
  announcement: () => Announcement
  /** Returns the lock that this process must hold to write; null if none is needed. */
  databaseLock: () => DatabaseLock | null
}

/**
 * Transactions run concurrently, each on a connection of the pool. The isolation level is READ COMMITTED, and
 * REPEATABLE READ for snapshots.
 */
export function postgresEngine(options: PostgresEngineOptions): Engine {
  const { connections, databaseLock, announcement } = options
  const { toQuery, forget, useNoNames } = statementNamer()
  const limits = options.isPooled ? transactionLimits(options.kind) : ''
  const outsideCommitListeners: (() => void)[] = []

  const isHeld = async () => (await databaseLock()?.confirm()) ?? true

  function rethrow(error: unknown): never {
    if (isOutdatedPlan(error)) forget()
    if (isLostStatement(error)) useNoNames()
    return rethrowPostgresError(error)
  }

  async function requirePlace(): Promise<void> {
    if (!(await isHeld())) throw new DatabaseUnavailable('The lock on the database was lost and is not held again yet')
  }

  async function begin(isSnapshot = false): Promise<OpenTransaction> {
    await requirePlace()
    const client = await connections.pool.connect().catch(rethrowPostgresError)
    let isBroken = false

    try {
      await client.query(`begin isolation level ${isSnapshot ? 'repeatable read' : 'read committed'}${limits}`)
    } catch (error) {
      client.release(true)
      rethrowPostgresError(error)
    }
    return {
      run: (query) => client.query(toQuery(query)).then(toQueryResult, rethrow),
      isJoined: false,
      async commit(onDurable, message) {
        const { toQuery: toAnnouncement, onCommitted } = announcement()
        const announced = toAnnouncement(message)
        const announcing = announced === null ? null : client.query(toQuery(announced))
        const [{ command }, result] = await Promise.all([client.query('commit'), announcing]).catch((error) => {
          if (isRolledBackByPostgres(error)) return rethrow(error)
          // If the commit succeeded nevertheless, it counts as a commit of another process.
          for (const listener of outsideCommitListeners) listener()
          throw new CommitOutcomeUnknown('The connection was lost during a commit', { cause: error })
        })
        if (command !== 'COMMIT') throw new Error('PostgreSQL rolled the transaction back')
        if (message !== undefined && result !== null) onCommitted?.(message, result.rows)
        onDurable()
      },
      async rollBack() {
        try {
          await client.query('rollback')
        } catch {
          isBroken = true
        }
      },
      release: () => client.release(isBroken),
    }
  }

  const readOnce = (query: CompiledQuery) => connections.pool.query(toQuery(query)).then(toQueryResult, rethrow)
  const read = (query: CompiledQuery) =>
    retryLockTimeouts(() =>
      readOnce(query).catch((error) => {
        if (isOutdatedPlan(error) || isLostStatement(error)) return readOnce(query)
        throw error
      }),
    )
  return {
    dialect: 'postgres',
    read,
    replicas: null,
    begin,
    isRetryable: (error) => {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      return (
        code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED || isOutdatedPlan(error) || isLostStatement(error)
      )
    },
    isWritable: () => databaseLock()?.client !== null,
    async isReady() {
      try {
        await connections.pool.query('select 1')
        return isHeld()
      } catch {
        return false
      }
    },
    onOutsideCommit: (listener) => outsideCommitListeners.push(listener),
    connections: connections.counts,
    giveUp: connections.giveUp,
    close: connections.close,
  }
}

/** Returns a function that sends a message to all nodes, outside of transactions. */
export const sendOver =
  ({ pool }: Connections) =>
  (message: string): Promise<unknown> =>
    pool.query(NOTIFYING, [message]).catch(rethrowPostgresError)

const NOTIFYING = `select pg_notify('${COMMIT_CHANNEL}', $1)`

/** Each commit with a message notifies the nodes that listen. */
export const NOTIFICATION: Announcement = {
  toQuery: (message) => (message === undefined ? null : CompiledQuery.raw(NOTIFYING, [message.text])),
}

/** No other process serves the database, so nothing is announced. */
export const NO_ANNOUNCEMENT: Announcement = { toQuery: () => null }

/**
 * Each commit of a command is announced without details: by a notification, and for nodes with NATS_URL in their table,
 * which does not exist before the first of them has started.
 */
export const COMMAND_ANNOUNCEMENT: Announcement = {
  toQuery: () =>
    CompiledQuery.raw(`do $$ begin
      perform pg_notify('${COMMIT_CHANNEL}', '');
      if to_regclass('"nodeMessages"') is not null and exists (select from "nodes") then
        insert into "nodeMessages" ("node", "message", "isOrdered") values ('', '', 0);
      end if;
    end $$`),
}
