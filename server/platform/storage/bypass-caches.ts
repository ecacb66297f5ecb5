import type { TableSet, Transaction } from './storage.ts'

const everyTable: TableSet = { has: () => true }

/**
 * Makes the transaction bypass all caches from now on. On PostgreSQL a commit of another transaction is visible before
 * this process knows of it; on SQLite it never is.
 */
export function bypassCaches({ db }: Transaction): void {
  if (db.dialect === 'postgres') Object.assign(db, { written: everyTable })
}
