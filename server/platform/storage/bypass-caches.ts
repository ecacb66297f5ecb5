import type { TableSet, Transaction } from './storage.ts'

const everyTable: TableSet = { has: () => true }

/**
 * From now on the transaction reads nothing that was kept of earlier reads. On PostgreSQL what another transaction has
 * committed is there before this process knows of the commit; on SQLite it never is.
 */
export function bypassCaches({ db }: Transaction): void {
  if (db.dialect === 'postgres') Object.assign(db, { written: everyTable })
}
