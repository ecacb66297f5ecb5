import pg from 'pg'
import { DiskFull } from '../../base/disk-full.ts'
import { DatabaseAway } from '../engine.ts'

/**
 * SQLSTATE: connection exceptions, a transaction that was ended with its connection because it stood still or took too
 * long, a server that shuts down or starts, and one that takes no more connections.
 */
const AWAY = /^(08|25P0[34]|57P0[1-5]|53300)/

/** SQLSTATE `disk_full`. */
const FULL = '53100'

/** Throws what became of a statement on: as `DatabaseAway` where PostgreSQL cannot be reached, as `DiskFull` where it has no room. */
export function throwOn(error: unknown): never {
  if (error instanceof pg.DatabaseError && error.code === FULL) throw new DiskFull(error.message, { cause: error })
  throw isAway(error) ? new DatabaseAway((error as Error).message, { cause: error }) : error
}

/** What the driver says of connections is a plain `Error`, or one of the system's; mistakes have classes of their own. */
function isAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return AWAY.test(error.code ?? '')
  return error instanceof Error && (error.constructor === Error || 'syscall' in error)
}
