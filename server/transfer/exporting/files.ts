import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Attachment, pathIdOf } from '../../messages/attachments/attachment.ts'
import { findRealmAttachments } from '../../messages/attachments/queries.ts'
import { storedName } from '../../messages/uploads/stored-file.ts'
import { findRealmEmoji, type RealmEmoji } from '../../organizations/realms/emoji-queries.ts'
import type { User } from '../../people/users/user.ts'
import type { FileStore } from '../../platform/storage/files/files.ts'
import { AVATARS, EMOJI } from '../../platform/storage/files/folders.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { findAttachmentLinks } from './queries.ts'
import { type AttachmentRow, writeList } from './tables.ts'

/** A stored file and its path in the export; `record` contains its other fields in the format. */
type Listed = { kind: 'uploads' | 'avatars' | 'emoji'; name: string; path: string; record: object }

/** All files of the organization, and the table of uploaded files. */
export type ListedFiles = { files: readonly Listed[]; attachments: readonly AttachmentRow[] }

export async function listFiles(db: Db, realmId: number, users: readonly User[]): Promise<ListedFiles> {
  const attachments = await findRealmAttachments(db, realmId)
  const claims = Map.groupBy(await findAttachmentLinks(db, realmId), ({ attachmentId }) => attachmentId)
  const emoji = await findRealmEmoji(db, realmId)
  return {
    files: [...attachments.map(toUpload), ...users.flatMap(toAvatars), ...emoji.map(toEmoji)],
    attachments: attachments.map((attachment) => {
      const messages = (claims.get(attachment.id) ?? []).map(({ messageId }) => messageId)
      return toAttachmentRow(attachment, messages)
    }),
  }
}

const toUpload = (attachment: Attachment): Listed => ({
  kind: 'uploads',
  name: storedName(attachment),
  path: pathIdOf(attachment),
  record: { realm_id: attachment.realmId, user_profile_id: attachment.ownerId, size: attachment.size },
})

const toAttachmentRow = (attachment: Attachment, messages: number[]): AttachmentRow => ({
  id: attachment.id,
  realm: attachment.realmId,
  owner: attachment.ownerId,
  file_name: attachment.name,
  path_id: pathIdOf(attachment),
  size: attachment.size,
  content_type: attachment.image?.contentType ?? null,
  create_time: attachment.createdAt,
  messages,
})

/** The format calls the larger one of two images the original. */
function toAvatars({ id, realmId, avatarFile }: User): Listed[] {
  if (avatarFile === null) return []
  const base = avatarFile.replace(/\.png$/, '')
  const record = { realm_id: realmId, user_profile_id: id }
  return [
    { kind: 'avatars', name: `${AVATARS}/${avatarFile}`, path: avatarFile, record },
    { kind: 'avatars', name: `${AVATARS}/${base}-medium.png`, path: `${base}.original`, record },
  ]
}

const toEmoji = ({ realmId, name, fileName }: RealmEmoji): Listed => ({
  kind: 'emoji',
  name: `${EMOJI}/${realmId}/${fileName}`,
  path: `${realmId}/emoji/images/${fileName}`,
  record: { realm_id: realmId, name, file_name: fileName },
})

/** The number of exported files of each kind (for avatars, of users with one), and of uploaded files without bytes. */
type CopiedFiles = Record<Listed['kind'], number> & { missing: number }

/** Copies the files into the folder of the export, and writes their records. */
export async function exportFiles(
  store: FileStore,
  folder: string,
  files: readonly Listed[],
  onProgress?: (done: number, all: number) => void,
): Promise<CopiedFiles> {
  const records: Record<Listed['kind'], object[]> = { uploads: [], avatars: [], emoji: [] }
  for (const [index, { kind, name, path, record }] of files.entries()) {
    onProgress?.(index, files.length)
    if (await copy(store, name, join(folder, kind, path))) records[kind].push({ ...record, path, s3_path: path })
  }
  for (const [kind, list] of Object.entries(records)) await writeList(folder, `${kind}/records.json`, list)
  const { uploads, emoji } = records
  const people = new Set(records.avatars.map((record) => (record as { user_profile_id: number }).user_profile_id))
  const missing = files.filter(({ kind }) => kind === 'uploads').length - uploads.length
  return { uploads: uploads.length, avatars: people.size, emoji: emoji.length, missing }
}

/** Returns false if the file is missing, or is deleted meanwhile. */
async function copy(store: FileStore, name: string, target: string): Promise<boolean> {
  const size = await store.findSize(name)
  if (size === null) return false
  await mkdir(dirname(target), { recursive: true })
  try {
    await pipeline(store.stream(name, { start: 0, end: size }), createWriteStream(target, { flags: 'wx' }))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await rm(target, { force: true })
    return false
  }
}
