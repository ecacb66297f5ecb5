import type { CompiledQuery } from 'kysely'
import type pg from 'pg'
import { CommitOutcomeUnknown, DatabaseUnavailable, type Engine, type OpenTransaction } from '../engine.ts'
import { retryLockTimeouts } from '../retry-lock-timeouts.ts'
import { statementNamer, toQueryResult } from './connection.ts'
import type { DatabaseLock } from './database-lock.ts'
import { isRolledBackByPostgres, rethrowPostgresError } from './errors.ts'
import type { Connections } from './pool.ts'

/** The channel on which nodes and commands announce their commits; the serving processes listen to it. */
export const COMMIT_CHANNEL = 'parley_commit'

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'

type PostgresEngineOptions = {
  connections: Connections
  /** True if each commit is announced by a message without details. */
  notifies: boolean
  /** Returns the lock that this process must hold to write; null if none is needed. */
  databaseLock: () => DatabaseLock | null
}

/**
 * Transactions run concurrently, each on a connection of the pool. The isolation level is READ COMMITTED, and
 * REPEATABLE READ for snapshots.
 */
export function postgresEngine({ connections, notifies, databaseLock }: PostgresEngineOptions): Engine {
  const named = statementNamer()
  const outsideCommitListeners: (() => void)[] = []

  const isHeld = async () => (await databaseLock()?.confirm()) ?? true

  async function requirePlace(): Promise<void> {
    if (!(await isHeld())) throw new DatabaseUnavailable('The lock on the database was lost and is not held again yet')
  }

  async function begin(isSnapshot = false): Promise<OpenTransaction> {
    await requirePlace()
    const client = await connections.pool.connect().catch(rethrowPostgresError)
    let isBroken = false

    try {
      await client.query(`begin isolation level ${isSnapshot ? 'repeatable read' : 'read committed'}`)
    } catch (error) {
      client.release(true)
      rethrowPostgresError(error)
    }
    return {
      run: (query) => client.query(named(query)).then(toQueryResult, rethrowPostgresError),
      isJoined: false,
      async commit(onDurable, message) {
        const announced = notifies ? '' : message
        const notified = announced === undefined ? undefined : client.query(notification(announced))
        const [{ command }] = await Promise.all([client.query('commit'), notified]).catch((error) => {
          if (isRolledBackByPostgres(error)) return rethrowPostgresError(error)
          // If the commit succeeded nevertheless, it counts as a commit of another process.
          for (const listener of outsideCommitListeners) listener()
          throw new CommitOutcomeUnknown('The connection was lost during a commit', { cause: error })
        })
        if (command !== 'COMMIT') throw new Error('PostgreSQL rolled the transaction back')
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

  const read = (query: CompiledQuery) =>
    retryLockTimeouts(() => connections.pool.query(named(query)).then(toQueryResult, rethrowPostgresError))
  return {
    dialect: 'postgres',
    read,
    begin,
    isRetryable: (error) => {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED
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
    giveUp: connections.giveUp,
    close: connections.close,
  }
}

const notification = (message: string): pg.QueryConfig => ({
  name: 'parley_notify',
  text: 'select pg_notify($1, $2)',
  values: [COMMIT_CHANNEL, message],
})
