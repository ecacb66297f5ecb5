import pg from 'pg'
import { DatabaseAway } from '../engine.ts'

/** SQLSTATE: connection exceptions, a server that shuts down or starts, and one that takes no more connections. */
const AWAY = /^(08|57P0[1-5]|53300)/

/** Throws what became of a statement on; what says that PostgreSQL cannot be reached as `DatabaseAway`. */
export function throwOn(error: unknown): never {
  throw isAway(error) ? new DatabaseAway((error as Error).message, { cause: error }) : error
}

/** What the driver says of connections is a plain `Error`, or one of the system's; mistakes have classes of their own. */
function isAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return AWAY.test(error.code ?? '')
  return error instanceof Error && (error.constructor === Error || 'syscall' in error)
}
