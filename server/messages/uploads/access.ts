import type { Realm } from '../../organizations/realms/realm.ts'
import type { Actor } from '../../people/users/user.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { findReadableAttachments, findWebPublicAttachment } from '../attachments/access.ts'
import type { Attachment } from '../attachments/attachment.ts'

export const noSuchFile = refusal('NOT_FOUND', 404, 'This file does not exist or has been deleted.')

/** Returns the file if the actor may read it; refuses it like a missing one otherwise. */
export async function requireReadableFile(db: Db, actor: Actor, pathId: string, now: number): Promise<Attachment> {
  const [attachment] = await findReadableAttachments(db, actor, [pathId], now)
  if (attachment === undefined) throw noSuchFile()
  return attachment
}

/** Returns the file if it can be read without an account. */
export async function findPublicFile(db: Db, realm: Realm | null, pathId: string): Promise<Attachment | null> {
  return realm === null ? null : findWebPublicAttachment(db, realm, pathId)
}
