import { lstat, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { SERVER_REQUESTER } from '#lib/fair-queue.ts'
import { canResize, inspectImage } from '#lib/images.ts'
import { type Attachment, pathIdOf, saveAttachment } from '#messages/attachments.ts'
import { contentTypeFor, newPlace, storedName, toDisplayName, toUrlName } from '#messages/files.ts'
import type { Realm } from '#realms/realm.ts'
import { type FileStore, storeFile } from '#storage/files.ts'
import type { Transaction } from '#storage/storage.ts'
import type { ImportReport } from './import-report.ts'
import type { ExportData } from './read-export.ts'
import type { AttachmentRow } from './shapes.ts'
import type { ImportedUsers } from './users.ts'

/** Returns whether a path in the export stays inside its folder. */
export function isSafePath(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.includes('\0') && !path.split(/[/\\]/).includes('..')
}

/** Returns the path of a file in the export; null if it does not exist or a link leads out of the folder. */
export async function findExportedFile(folder: string, kind: string, path: string): Promise<string | null> {
  const found = join(folder, kind, path)
  try {
    if (!(await lstat(found)).isFile()) return null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
  const [real, root] = [await realpath(found), await realpath(folder)]
  return real.startsWith(root + sep) ? real : null
}

/** An imported file. `messageIds` are the export's ids of the messages that link to it. */
export type ImportedFile = { attachment: Attachment; messageIds: ReadonlySet<number> }

/** The files to which each message links, by the message's id in the export. */
type FilesByMessage = ReadonlyMap<number, readonly ImportedFile[]>

export function filesByMessage({ byPath }: ImportedFiles): FilesByMessage {
  const files = new Map<number, ImportedFile[]>()
  for (const file of byPath.values()) for (const id of file.messageIds) files.set(id, [...(files.get(id) ?? []), file])
  return files
}

export type ImportedFiles = {
  /** The files by the part of their old addresses after `/user_uploads/`. */
  byOldPath: ReadonlyMap<string, ImportedFile>
  /** The files by the same part of their new addresses. */
  byPath: ReadonlyMap<string, ImportedFile>
}

export type FileParts = { realm: Realm; accounts: ImportedUsers; files: FileStore; report: ImportReport }

/** Copies the uploaded files to new paths that cannot be guessed. */
export async function importUploads(
  tx: Transaction,
  data: ExportData,
  parts: FileParts,
  onProgress?: (done: number, all: number) => void,
): Promise<ImportedFiles> {
  const [byOldPath, byPath] = [new Map<string, ImportedFile>(), new Map<string, ImportedFile>()]
  for (const [index, row] of data.attachments.entries()) {
    onProgress?.(index, data.attachments.length)
    const source = await findExportedFile(data.folder, 'uploads', row.path_id)
    if (source === null) {
      parts.report.add('uploaded files', 'their bytes are not in the export')
      continue
    }
    const attachment = await importUpload(tx, source, row, parts)
    const file = { attachment, messageIds: new Set(row.messages ?? []) }
    byOldPath.set(row.path_id, file)
    byPath.set(pathIdOf(attachment), file)
  }
  return { byOldPath, byPath }
}

async function importUpload(
  tx: Transaction,
  source: string,
  row: AttachmentRow,
  { realm, accounts, files }: FileParts,
): Promise<Attachment> {
  const name = toDisplayName(row.file_name)
  const place = newPlace(realm.id, tx.random)
  const fileName = toUrlName(name)
  const size = await storeFile(files, source, storedName({ place }))
  const { contentType } = contentTypeFor(fileName)
  const isPicture = canResize(tx.db.settings) && contentType.startsWith('image/')
  const facts = isPicture ? await inspectImage(source, SERVER_REQUESTER) : null
  const image = facts?.contentType === contentType ? facts : null
  const ownerId = accounts.get(row.owner)!.id
  return saveAttachment(tx, {
    realmId: realm.id,
    ownerId,
    place,
    fileName,
    name,
    size,
    createdAt: row.create_time,
    image,
  })
}
