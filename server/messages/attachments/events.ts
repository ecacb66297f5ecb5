import { viewerOf } from '#groups/viewer.ts'
import { findUsersById } from '#people/users/queries.ts'
import { findRealm } from '#realms/queries.ts'
import type { Transaction } from '#storage/storage.ts'
import { findReadableClaims } from './access.ts'
import { type Attachment, toAttachmentJson } from './attachment.ts'
import { findSpaceUsed } from './queries.ts'

/** Emits the current state of the files to their owners. All files must belong to one organization. */
export async function emitAttachments(
  tx: Transaction,
  op: 'add' | 'update',
  attachments: readonly Attachment[],
): Promise<void> {
  const realm = await findRealm(tx.db, attachments[0]?.realmId ?? 0)
  if (realm === null) return
  const upload_space_used = await findSpaceUsed(tx.db, realm.id)
  const byOwner = Map.groupBy(attachments, (attachment) => attachment.ownerId)
  for (const owner of await findUsersById(tx.db, byOwner.keys())) {
    const owned = byOwner.get(owner.id) ?? []
    const ids = owned.map(({ id }) => id)
    const claims = await findReadableClaims(viewerOf(tx.db, { ...owner, realm }, tx.now), ids)
    for (const attachment of owned) {
      const json = toAttachmentJson(attachment, claims)
      tx.emit(realm.id, { type: 'attachment', op, attachment: json, upload_space_used }, [owner.id])
    }
  }
}

/** Emits the deletion of the files to their owners. All files must belong to one organization. */
export async function emitAttachmentsRemoved(tx: Transaction, attachments: readonly Attachment[]): Promise<void> {
  const [{ realmId } = { realmId: 0 }] = attachments
  const upload_space_used = await findSpaceUsed(tx.db, realmId)
  for (const { id, ownerId } of attachments)
    tx.emit(realmId, { type: 'attachment', op: 'remove', attachment: { id }, upload_space_used }, [ownerId])
}
