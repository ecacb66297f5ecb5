import { refusal } from '#lib/errors/refusal.ts'
import type { Actor } from '#people/users/user.ts'
import { lockRealm } from '#realms/queries.ts'
import type { Transaction } from '#storage/storage.ts'
import type { Attachment } from '../attachments/attachment.ts'
import { emitAttachments, emitAttachmentsRemoved } from '../attachments/events.ts'
import { deleteAttachments, findOwnAttachment, lockAttachments, saveAttachment } from '../attachments/queries.ts'
import { requireUploadSpace } from './limits.ts'

export const invalidAttachment = refusal('BAD_REQUEST', 400, 'Invalid attachment')

/** Registers a stored file for the actor. It is deleted later if no message links to it. */
export async function addUpload(
  tx: Transaction,
  actor: Actor,
  file: Pick<Attachment, 'place' | 'fileName' | 'name' | 'size' | 'image'>,
): Promise<void> {
  const { UPLOAD_QUOTA_MIB, UPLOADS_PER_DAY_MIB } = tx.db.settings
  if (UPLOAD_QUOTA_MIB > 0 || UPLOADS_PER_DAY_MIB > 0) await lockRealm(tx, actor.realmId)
  await requireUploadSpace(tx.db, actor, file.size, tx.now)
  const attachment = { ...file, realmId: actor.realmId, ownerId: actor.id, createdAt: tx.now }
  await emitAttachments(tx, 'add', [await saveAttachment(tx, attachment)])
}

/** Deletes the row of the actor's own file, even if messages link to it. The caller deletes the stored bytes. */
export async function removeUpload(tx: Transaction, actor: Actor, id: number): Promise<Attachment> {
  await lockAttachments(tx, [id])
  const attachment = await findOwnAttachment(tx.db, actor.id, id)
  if (attachment === null) throw invalidAttachment()
  await deleteAttachments(tx, [id])
  await emitAttachmentsRemoved(tx, [attachment])
  return attachment
}
