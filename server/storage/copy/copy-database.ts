import { CompiledQuery } from 'kysely'
import { emptyDatabase } from '../empty-database.ts'
import { insertRowsInTurn } from '../insert-rows.ts'
import type { Db, Storage, Transaction } from '../storage.ts'
import { tableNames } from '../table-names.ts'
import { findAllocatedIds, restoreAllocatedIds } from './allocated-ids.ts'
import { keysetPages } from './keyset-pages.ts'
import { deferReferenceChecks } from './references.ts'

/** The full-text index is not an ordinary table on SQLite, and its text cannot be read. */
const copiedTables = tableNames.filter((table) => table !== 'messageWords')

type CopyOptions = {
  /** Called as the last step of the transaction. */
  finish: (tx: Transaction) => Promise<void>
  /** Called with the number of copied rows and the number of all rows. */
  onProgress?: (copied: number, all: number) => void
}

/**
 * Replaces the content of `to` with the content of `from` at one moment, in one transaction. Rows keep their ids, and
 * later rows get ids after those that `from` has allocated. The full-text index is left empty. Returns the number of
 * rows.
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
