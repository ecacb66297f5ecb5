import { refusal } from '../base/refusal.ts'
import { findReadableAttachments, findWebPublicAttachment } from '../messages/attachments/access.ts'
import type { Attachment } from '../messages/attachments/attachment.ts'
import type { Realm } from '../realms/realm.ts'
import type { Db } from '../storage/storage.ts'
import type { Actor } from '../users/user.ts'

export const noSuchFile = refusal('NOT_FOUND', 404, 'This file does not exist or has been deleted.')

/** The file, if the actor may read it. One they may not read is refused exactly like one that does not exist. */
export async function requireReadableFile(db: Db, actor: Actor, pathId: string, now: number): Promise<Attachment> {
  const [attachment] = await findReadableAttachments(db, actor, [pathId], now)
  if (attachment === undefined) throw noSuchFile()
  return attachment
}

/** The file, if anybody may read it; null for all others. */
export async function findPublicFile(db: Db, realm: Realm | null, pathId: string): Promise<Attachment | null> {
  return realm === null ? null : findWebPublicAttachment(db, realm, pathId)
}
