import type { Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'
import { findReadableAttachments, findWebPublicAttachment } from '../attachments/access.ts'
import type { Attachment } from '../attachments/attachment.ts'

export const noSuchFile = refusal('NOT_FOUND', 404, 'This file does not exist or has been deleted.')

/** Returns the file if the actor may read it. Otherwise, refuses it like a missing file. */
export async function requireReadableFile(viewer: Viewer, pathId: string): Promise<Attachment> {
  const [attachment] = await findReadableAttachments(viewer, [pathId])
  if (attachment === undefined) throw noSuchFile()
  return attachment
}

/** Returns the file if it can be read without an account. */
export async function findPublicFile(db: Db, realm: Realm | null, pathId: string): Promise<Attachment | null> {
  return realm === null ? null : findWebPublicAttachment(db, realm, pathId)
}
