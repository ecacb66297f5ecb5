import type { TableSet, Transaction } from './storage.ts'

const everyTable: TableSet = { has: () => true }

/**
 * Makes the transaction bypass all caches from now on. On PostgreSQL, a transaction may see another commit before this
 * process learns of that commit. On SQLite, this cannot happen.
 */
export function bypassCaches({ db }: Transaction): void {
  if (db.dialect === 'postgres') Object.assign(db, { written: everyTable })
}
