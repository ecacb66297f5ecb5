import { type DataExport, findDataExport, findStoredExports, saveDataExportFields } from '#realms/export-queries.ts'
import { lockRealm } from '#realms/queries.ts'
import type { FileStore } from '#storage/files/files.ts'
import type { Db, RunTransaction, Transaction } from '#storage/storage.ts'
import { archiveName, isStored } from './data-export.ts'
import { emitDataExports } from './events.ts'

/** Days after which an archive is deleted, unless an administrator deletes it earlier. */
export const DAYS_KEPT = 7

type Parts = { db: Db; transaction: RunTransaction; files: FileStore }

/** Returns when the archive of a finished export expires. */
export const expiryOf = (finishedAt: number): number => finishedAt + DAYS_KEPT * 86_400

/** Marks the export as deleted, and deletes its archive. */
export async function expireExport({ transaction, files }: Omit<Parts, 'db'>, given: DataExport): Promise<void> {
  await transaction((tx) => saveDeletion(tx, given))
  await files.delete(archiveName(given))
}

/** Marks exports as deleted if their archives are missing. Backups do not contain archives. */
export async function expireLostExports(parts: Parts): Promise<void> {
  for (const stored of await findStoredExports(parts.db))
    if ((await parts.files.findSize(archiveName(stored))) === null) await expireExport(parts, stored)
}

async function saveDeletion(tx: Transaction, given: DataExport): Promise<void> {
  const realm = await lockRealm(tx, given.realmId)
  const current = await findDataExport(tx.db, realm.id, given.id)
  if (current === null || !isStored(current)) return
  await saveDataExportFields(tx, given.id, { deletedAt: tx.now })
  await emitDataExports(tx, realm)
}
