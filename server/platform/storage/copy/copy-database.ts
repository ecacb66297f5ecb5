import { CompiledQuery } from 'kysely'
import { emptyDatabase } from '../empty-database.ts'
import { insertRowsInTurn } from '../insert-rows.ts'
import type { Db, Storage, Transaction } from '../storage.ts'
import { tableNames } from '../table-names.ts'
import { findAllocatedIds, restoreAllocatedIds } from './allocated-ids.ts'
import { keysetPages } from './keyset-pages.ts'
import { deferReferenceChecks } from './references.ts'

/** The index of words is no table on SQLite, and no text can be read from it. */
const copiedTables = tableNames.filter((table) => table !== 'messageWords')

export type CopyOptions = {
  /** The last thing that the transaction does. */
  finish: (tx: Transaction) => Promise<void>
  /** How many rows were copied of all that there are. */
  onProgress?: (copied: number, all: number) => void
}

/**
 * Makes `to` hold what `from` holds at one moment, and nothing else: every row under its id, and tables that give the ids
 * that those of `from` would give next. It is one transaction: all of that, or nothing. The index of words is left empty.
 * Returns how many rows there are.
 */
export function copyDatabase(from: Storage, to: Storage, { finish, onProgress }: CopyOptions): Promise<number> {
  return from.transaction(({ db }) => to.transaction((tx) => copyInto(tx, db, { finish, onProgress })), {
    isSnapshot: true,
  })
}

async function copyInto(tx: Transaction, from: Db, { finish, onProgress }: CopyOptions): Promise<number> {
  const all = await countRows(from)
  let copied = 0
  await emptyDatabase(tx)
  await deferReferenceChecks(tx, async () => {
    for (const table of copiedTables) {
      for await (const rows of keysetPages(from, table)) {
        await insertRowsInTurn(tx, table, rows as never)
        copied += rows.length
        onProgress?.(copied, all)
      }
    }
  })
  await restoreAllocatedIds(tx, await findAllocatedIds(from))
  await finish(tx)
  return copied
}

async function countRows(db: Db): Promise<number> {
  const counts = copiedTables.map((table) => `(select count(*) from "${table}")`)
  const { rows } = await db.executeQuery<{ all: number }>(CompiledQuery.raw(`select ${counts.join(' + ')} as "all"`))
  return rows[0]?.all ?? 0
}
