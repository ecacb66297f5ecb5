import pg from 'pg'
import { DiskFull } from '../../errors/disk-full.ts'
import { DatabaseUnavailable, LockTimeout } from '../engine.ts'

/**
 * SQLSTATE: connection exceptions, a transaction that was ended with its connection because it stood still or took too
 * long, a server that shuts down or starts, and one that takes no more connections.
 */
const AWAY = /^(08|25P0[34]|57P0[1-5]|53300)/

/** SQLSTATE `query_canceled`: the statement took too long, or the administrator of the database cancelled it. */
const CANCELLED = '57014'

/** SQLSTATE `lock_not_available`. */
const LOCK_TIMEOUT = '55P03'

/** SQLSTATE: internal errors and those of the system, after which nobody knows what PostgreSQL did. */
const FAULT = /^(58|F0|XX)/

/** SQLSTATE `disk_full`. */
const FULL = '53100'

/**
 * Throws the error of a statement on: as `DatabaseAway` where PostgreSQL cannot be reached or cancelled the statement, as
 * `LockTimeout` where a lock was not free in time, as `DiskFull` where there is no room.
 */
export function rethrowPostgresError(error: unknown): never {
  if (error instanceof pg.DatabaseError && error.code === LOCK_TIMEOUT)
    throw new LockTimeout(error.message, { cause: error })
  if (error instanceof pg.DatabaseError && error.code === FULL) throw new DiskFull(error.message, { cause: error })
  throw isAway(error) ? new DatabaseUnavailable((error as Error).message, { cause: error }) : error
}

/** Whether PostgreSQL itself refused a statement, so that the transaction is rolled back, a commit included. */
export function isRolledBackByPostgres(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.code !== undefined && !AWAY.test(error.code) && !FAULT.test(error.code)
  )
}

/** What the driver says of connections is a plain `Error`, or one of the system's; mistakes have classes of their own. */
function isAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code === CANCELLED || AWAY.test(error.code ?? '')
  return error instanceof Error && (error.constructor === Error || 'syscall' in error)
}
