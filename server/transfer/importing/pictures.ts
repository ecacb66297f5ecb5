import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { SERVER_REQUESTER } from '#lib/fair-queue.ts'
import { canResize, imageTypeOf, toAvatar, toEmoji } from '#lib/images.ts'
import { toRealmPicture } from '#organizations/pictures.ts'
import { saveUserFields } from '#people/user-queries.ts'
import type { User } from '#people/users.ts'
import { deactivateRealmEmoji, findRealmEmoji, requireEmojiName, saveRealmEmoji } from '#realms/emoji.ts'
import { saveRealmPictures } from '#realms/queries.ts'
import { largeIconPath, type RealmPictureKind, realmPictureKinds, realmPicturePath } from '#realms/realm.ts'
import { AVATARS, EMOJI } from '#storage/files.ts'
import type { Transaction } from '#storage/storage.ts'
import { type FileParts, findExportedFile } from './files.ts'
import { type ExportData, nullIfRefused } from './read-export.ts'
import type { EmojiRecord, EmojiRow } from './shapes.ts'

/** The maximum size in bytes of an image of these kinds. */
const MAX_BYTES = 20 * 1024 * 1024

/** Imports uploaded avatars; returns their number. */
export async function importAvatars(tx: Transaction, data: ExportData, parts: FileParts): Promise<number> {
  const records = Map.groupBy(data.avatars, (record) => record.user_profile)
  let count = 0
  for (const { id, avatar_source } of data.users.values()) {
    const user = parts.accounts.get(id)
    if (user === undefined || avatar_source !== 'U') continue
    const bytes = await readPicture(data.folder, 'avatars', originalFirst(records.get(id) ?? []))
    const name = bytes === null ? null : await storeAvatar(tx, bytes, parts)
    if (name === null) parts.report.add('avatars', 'the export has no valid image')
    else {
      await saveUserFields(tx, user.id, { avatarFile: name, avatarVersion: 2 })
      count += 1
    }
  }
  return count
}

async function storeAvatar(tx: Transaction, bytes: Buffer, { realm, files }: FileParts): Promise<string | null> {
  const name = `${realm.id}/${tx.random.bytes(20).toString('hex')}.png`
  const pictures = canResize(tx.db.settings) ? await toAvatar(bytes, SERVER_REQUESTER) : { small: bytes, medium: null }
  if (pictures === null) return null
  const { small, medium } = pictures
  await files.save(`${AVATARS}/${name}`, small)
  if (medium !== null) await files.save(`${AVATARS}/${name.replace(/\.png$/, '-medium.png')}`, medium)
  return name
}

/** Imports the uploaded icon and logos of the organization; returns their number. */
export async function importRealmPictures(
  tx: Transaction,
  data: ExportData,
  { realm, files, report }: Omit<FileParts, 'accounts'>,
): Promise<number> {
  const pictures: Partial<Record<RealmPictureKind, string>> = {}
  for (const kind of realmPictureKinds) {
    if (data.realm[`${kind}_source`] !== 'U') continue
    const records = data.icons.filter(({ path }) => basename(path).replace(/\.\w+$/, '') === kind)
    const bytes = await readPicture(data.folder, 'realm_icons', originalFirst(records))
    const resized = bytes && (await toRealmPicture(tx.db.settings, kind, bytes, SERVER_REQUESTER))
    if (resized === null) {
      report.add('organization icons and logos', 'the export has no valid image')
      continue
    }
    const name = `${tx.random.bytes(20).toString('hex')}.png`
    await files.save(realmPicturePath(realm.id, name), resized.picture)
    if (resized.large !== null) await files.save(largeIconPath(realm.id, name), resized.large)
    pictures[kind] = name
  }
  const count = Object.keys(pictures).length
  if (count > 0) await saveRealmPictures(tx, realm.id, pictures)
  return count
}

/** Imports custom emoji; returns their new ids by their ids in the export. */
export async function importEmoji(
  tx: Transaction,
  data: ExportData,
  owner: User,
  parts: FileParts,
): Promise<Map<number, number>> {
  const ids = new Map<number, number>()
  for (const row of data.emoji.values()) {
    const name = nullIfRefused(() => requireEmojiName(row.name))
    if (name === null) {
      parts.report.add('custom emoji', 'their names are not allowed here')
      continue
    }
    const bytes = await readPicture(data.folder, 'emoji', recordsOf(data.emojiPictures, row))
    const stored = bytes === null ? null : await storeEmoji(tx, bytes, parts)
    if (stored === null) {
      parts.report.add('custom emoji', 'the export has no image of them')
      continue
    }
    const author = parts.accounts.get(row.author ?? 0) ?? owner
    await saveRealmEmoji(tx, { realmId: parts.realm.id, name, authorId: author.id, ...stored })
    const saved = (await findRealmEmoji(tx.db, parts.realm.id)).find(({ fileName }) => fileName === stored.fileName)
    if (saved === undefined) throw new Error('A custom emoji was not saved')
    ids.set(row.id, saved.id)
    if (row.deactivated) await deactivateRealmEmoji(tx, saved.id)
  }
  return ids
}

/**
 * Returns the records with the emoji's file name, or with its name if there are none. The file name comes first,
 * because several emoji may have had the same name over time.
 */
function recordsOf(records: readonly EmojiRecord[], { name, file_name }: EmojiRow): EmojiRecord[] {
  const same = records.filter((record) => fileNameOf(record) === file_name)
  return originalFirst(same.length > 0 ? same : records.filter((record) => record.name === name))
}

const fileNameOf = ({ file_name, path }: EmojiRecord) => file_name ?? basename(path).replace(/\.original$/, '')

async function storeEmoji(tx: Transaction, bytes: Buffer, { realm, files }: FileParts) {
  const type = imageTypeOf(bytes)
  if (type === null) return null
  const drawn = canResize(tx.db.settings) ? await toEmoji(bytes, SERVER_REQUESTER) : { moving: bytes, still: null }
  if (drawn === null) return null
  const secret = tx.random.bytes(20).toString('hex')
  const isDrawn = drawn.still !== null
  const fileName = `${secret}.${isDrawn ? (drawn.moving ? 'gif' : 'png') : type.extension}`
  const stillFileName = isDrawn && drawn.moving ? `still/${secret}.png` : null
  await files.save(`${EMOJI}/${realm.id}/${fileName}`, (drawn.moving ?? drawn.still)!)
  if (stillFileName !== null) await files.save(`${EMOJI}/${realm.id}/${stillFileName}`, drawn.still!)
  return { fileName, stillFileName }
}

/** The original upload has a better quality than the resized image. */
function originalFirst<Record extends { path: string }>(records: readonly Record[]): Record[] {
  const isOriginal = ({ path }: Record) => Number(path.endsWith('.original'))
  return records.toSorted((one, other) => isOriginal(other) - isOriginal(one))
}

async function readPicture(folder: string, kind: string, records: readonly { path: string }[]): Promise<Buffer | null> {
  for (const { path } of records) {
    const found = await findExportedFile(folder, kind, path)
    if (found === null || (await stat(found)).size > MAX_BYTES) continue
    const bytes = await readFile(found)
    if (imageTypeOf(bytes) !== null) return bytes
  }
  return null
}
