import type { Actor } from '#people/users/user.ts'
import { type DataExport, saveDataExport, saveDataExportFields } from '#realms/export-queries.ts'
import { lockRealm } from '#realms/queries.ts'
import type { Transaction } from '#storage/storage.ts'
import { requireDeletableExport, requireMayExport } from './access.ts'
import { emitDataExports } from './events.ts'

/** Requests an export. The export job makes it after the commit. */
export async function requestExport(tx: Transaction, actor: Actor, type: number): Promise<DataExport> {
  const realm = await lockRealm(tx, actor.realmId)
  await requireMayExport(tx.db, actor, tx.now)
  const file = tx.random.bytes(18).toString('base64url')
  const saved = await saveDataExport(tx, { realmId: realm.id, actorId: actor.id, type, file })
  await emitDataExports(tx, realm)
  return saved
}

/** Marks an export as deleted. The caller deletes its archive after the transaction. */
export async function deleteExport(tx: Transaction, actor: Actor, id: number): Promise<DataExport> {
  const realm = await lockRealm(tx, actor.realmId)
  const found = await requireDeletableExport(tx, actor, id)
  await saveDataExportFields(tx, id, { deletedAt: tx.now })
  await emitDataExports(tx, realm)
  return found
}
