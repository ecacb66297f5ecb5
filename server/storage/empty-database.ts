import { CompiledQuery } from 'kysely'
import type { Transaction } from './storage.ts'
import { tableNames } from './table-names.ts'

/** Deletes every row of every table, and restarts ids at 1. */
export async function emptyDatabase(tx: Transaction): Promise<void> {
  const run = (statement: string) => tx.db.executeQuery(CompiledQuery.raw(statement))
  if (tx.db.dialect === 'postgres')
    await run(`truncate ${tableNames.map((name) => `"${name}"`).join(', ')} restart identity cascade`)
  else await run('pragma defer_foreign_keys = on')
  // On PostgreSQL nothing is left to delete, but the statements invalidate the caches of the tables.
  for (const name of tableNames) await tx.deleteFrom(name).execute()
  tx.afterCommit(() => tx.db.commitCounters.lastIds.clear())
  if (tx.db.dialect === 'sqlite') await run('delete from sqlite_sequence')
}
