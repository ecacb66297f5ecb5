import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Attachment, findRealmAttachments, pathIdOf } from '#messages/attachments.ts'
import { storedName } from '#messages/files.ts'
import type { User } from '#people/users.ts'
import { findRealmEmoji, type RealmEmoji } from '#realms/emoji.ts'
import { largeIconPath, type Realm, type RealmPictureKind, realmPictureKinds, realmPicturePath } from '#realms/realm.ts'
import { AVATARS, EMOJI, type FileStore } from '#storage/files.ts'
import type { Db } from '#storage/storage.ts'
import type { ExportScope } from '../data-exports.ts'
import { findAttachmentLinks } from './queries.ts'
import type { Selection } from './selection.ts'
import { type AttachmentRow, writeList } from './tables.ts'

/** A stored file and its path in the export; `record` contains its other fields in the format. */
type Listed = { kind: 'uploads' | 'avatars' | 'emoji' | 'realm_icons'; name: string; path: string; record: object }

/** The files to export, and the rows of the table of uploaded files. */
export type ListedFiles = { files: readonly Listed[]; attachments: readonly AttachmentRow[] }

/** Lists the organization's pictures, and its uploaded files: all of them, or only the files in exported messages. */
export async function listFiles(
  db: Db,
  realm: Realm,
  { users, selection, scope }: { users: readonly User[]; selection: Selection; scope: ExportScope },
): Promise<ListedFiles> {
  const realmId = realm.id
  const links = await findAttachmentLinks(db, realmId, selection.messages)
  const claims = Map.groupBy(links, ({ attachmentId }) => attachmentId)
  const all = await findRealmAttachments(db, realmId)
  const attachments = scope === 'everything' ? all : all.filter(({ id }) => claims.has(id))
  const emoji = await findRealmEmoji(db, realmId)
  return {
    files: [
      ...attachments.map(toUpload),
      ...users.flatMap(toAvatars),
      ...emoji.map(toEmoji),
      ...realmPictureKinds.flatMap((kind) => toRealmPictures(realm, kind)),
    ],
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

/** The format calls the larger image of an icon the original, and its paths name the kind of picture. */
function toRealmPictures({ id, pictures }: Realm, kind: RealmPictureKind): Listed[] {
  const file = pictures[kind]
  if (file === undefined) return []
  const base = `${id}/realm/${kind}`
  const record = { realm_id: id }
  return [
    { kind: 'realm_icons', name: realmPicturePath(id, file), path: `${base}.png`, record },
    { kind: 'realm_icons', name: largeIconPath(id, file), path: `${base}.original`, record },
  ]
}

/**
 * The numbers of exported uploads, users with an avatar, custom emoji, and kinds of pictures of the organization.
 * `missing` is the number of uploads whose bytes are missing.
 */
type CopiedFiles = Record<Listed['kind'], number> & { missing: number }

/** Copies the files into the folder of the export, and writes their records. */
export async function exportFiles(
  store: FileStore,
  folder: string,
  files: readonly Listed[],
  { signal, onProgress }: { signal?: AbortSignal | undefined; onProgress?: (done: number, all: number) => void } = {},
): Promise<CopiedFiles> {
  const records: Record<Listed['kind'], object[]> = { uploads: [], avatars: [], emoji: [], realm_icons: [] }
  for (const [index, { kind, name, path, record }] of files.entries()) {
    signal?.throwIfAborted()
    onProgress?.(index, files.length)
    if (await copyStored(store, name, join(folder, kind, path), signal))
      records[kind].push({ ...record, path, s3_path: path })
  }
  for (const [kind, list] of Object.entries(records)) await writeList(folder, `${kind}/records.json`, list)
  const { uploads, emoji, realm_icons: icons } = records
  const people = new Set(records.avatars.map((record) => (record as { user_profile_id: number }).user_profile_id))
  const kinds = new Set(icons.map((record) => (record as { path: string }).path.replace(/\.\w+$/, '')))
  const missing = files.filter(({ kind }) => kind === 'uploads').length - uploads.length
  return { uploads: uploads.length, avatars: people.size, emoji: emoji.length, realm_icons: kinds.size, missing }
}

/** Returns false if the file is missing, or is deleted while it is copied. */
export async function copyStored(
  store: FileStore,
  name: string,
  target: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const size = await store.findSize(name)
  if (size === null) return false
  await mkdir(dirname(target), { recursive: true })
  try {
    const source = store.stream(name, { start: 0, end: size })
    await pipeline(source, createWriteStream(target, { flags: 'wx' }), { signal })
    return true
  } catch (error) {
    signal?.throwIfAborted()
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await rm(target, { force: true })
    return false
  }
}
