import pg from 'pg'
import { DiskFull } from '#lib/errors/disk-full.ts'
import { DatabaseUnavailable, LockTimeout } from '../engine.ts'

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
 * the statement, `LockTimeout` if a lock was not free in time, `DiskFull` if there is no room.
 */
export function rethrowPostgresError(error: unknown): never {
  if (error instanceof pg.DatabaseError && error.code === LOCK_TIMEOUT)
    throw new LockTimeout(error.message, { cause: error })
  if (error instanceof pg.DatabaseError && error.code === FULL) throw new DiskFull(error.message, { cause: error })
  throw isUnavailable(error) ? new DatabaseUnavailable((error as Error).message, { cause: error }) : error
}

/** Returns whether PostgreSQL itself rejected a statement or a commit, so that the transaction is rolled back. */
export function isRolledBackByPostgres(error: unknown): boolean {
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
