import type { Transaction } from './storage.ts'
import type { TableName } from './tables.ts'

const everyTable: Pick<ReadonlySet<TableName>, 'has'> = { has: () => true }

/**
 * From now on the transaction reads nothing that was kept of earlier reads. On PostgreSQL what another transaction has
 * committed is there before this process knows of the commit; on SQLite it never is.
 */
export function readAfresh({ db }: Transaction): void {
  if (db.dialect === 'postgres') Object.assign(db, { written: everyTable })
}
