import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Attachment, pathIdOf } from '../messages/attachments/attachment.ts'
import { findRealmAttachments } from '../messages/attachments/queries.ts'
import { findRealmEmoji } from '../realms/emoji-queries.ts'
import type { Realm } from '../realms/realm.ts'
import type { FileStore } from '../storage/files/files.ts'
import { AVATARS, EMOJI } from '../storage/files/folders.ts'
import type { Db } from '../storage/storage.ts'
import { storedName } from '../uploads/stored-file.ts'
import type { User } from '../users/user.ts'
import { findClaims } from './queries.ts'
import { type AttachmentRow, writeJson } from './tables.ts'

type Parts = { folder: string; files: FileStore }

/** Copies a stored file below the folder of the export; false where its bytes are gone. */
async function copy({ folder, files }: Parts, name: string, path: string): Promise<boolean> {
  const size = await files.findSize(name)
  if (size === null) return false
  const target = join(folder, path)
  await mkdir(dirname(target), { recursive: true })
  await pipeline(files.stream(name, { start: 0, end: size }), createWriteStream(target, { flags: 'wx' }))
  return true
}

/** The uploaded files, with the messages that link to them; how many came. */
export async function exportUploads(
  db: Db,
  realm: Realm,
  parts: Parts,
  onProgress?: (done: number, all: number) => void,
): Promise<number> {
  const attachments = await findRealmAttachments(db, realm.id)
  const claims = Map.groupBy(await findClaims(db, realm.id), ({ attachmentId }) => attachmentId)
  const rows = attachments.map((attachment) =>
    toAttachmentRow(
      attachment,
      (claims.get(attachment.id) ?? []).map(({ messageId }) => messageId),
    ),
  )
  await writeJson(parts.folder, 'attachment.json', { zerver_attachment: rows })
  const records: unknown[] = []
  for (const [index, attachment] of attachments.entries()) {
    onProgress?.(index, attachments.length)
    const path = pathIdOf(attachment)
    if (!(await copy(parts, storedName(attachment), `uploads/${path}`))) continue
    records.push({
      path,
      s3_path: path,
      realm_id: realm.id,
      user_profile_id: attachment.ownerId,
      size: attachment.size,
    })
  }
  await writeJson(parts.folder, 'uploads/records.json', records)
  return records.length
}

const toAttachmentRow = (attachment: Attachment, messages: readonly number[]): AttachmentRow => ({
  id: attachment.id,
  realm: attachment.realmId,
  owner: attachment.ownerId,
  file_name: attachment.name,
  path_id: pathIdOf(attachment),
  size: attachment.size,
  content_type: attachment.image?.contentType ?? null,
  create_time: attachment.createdAt,
  messages: [...messages],
})

/** The pictures of people: the format calls the larger one the original. */
export async function exportAvatars(realm: Realm, users: readonly User[], parts: Parts): Promise<number> {
  const records: unknown[] = []
  let count = 0
  for (const { id, avatarFile } of users) {
    if (avatarFile === null) continue
    const copies = [
      { name: avatarFile, path: avatarFile },
      { name: avatarFile.replace(/\.png$/, '-medium.png'), path: avatarFile.replace(/\.png$/, '.original') },
    ]
    for (const { name, path } of copies)
      if (await copy(parts, `${AVATARS}/${name}`, `avatars/${path}`))
        records.push({ realm_id: realm.id, user_profile_id: id, path, s3_path: path })
    count += 1
  }
  await writeJson(parts.folder, 'avatars/records.json', records)
  return count
}

export async function exportEmoji(db: Db, realm: Realm, parts: Parts): Promise<number> {
  const records: unknown[] = []
  for (const { name, fileName } of await findRealmEmoji(db, realm.id)) {
    const path = `${realm.id}/emoji/images/${fileName}`
    if (await copy(parts, `${EMOJI}/${realm.id}/${fileName}`, `emoji/${path}`))
      records.push({ realm_id: realm.id, name, file_name: fileName, path, s3_path: path })
  }
  await writeJson(parts.folder, 'emoji/records.json', records)
  return records.length
}
