import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { findRealmChannels } from '#channels/queries.ts'
import { pathIdOf } from '#messages/attachments.ts'
import { storedName } from '#messages/files.ts'
import { findHeldCopies } from '#messages/legal-holds.ts'
import { findRealmUsers } from '#people/user-queries.ts'
import { isBot } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import type { FileStore } from '#storage/files.ts'
import type { Db, RunTransaction } from '#storage/storage.ts'
import type { ExportScope } from './data-exports.ts'
import { copyStored, exportFiles, type ListedFiles, listFiles } from './exporting/files.ts'
import { openGroupIds } from './exporting/groups.ts'
import { exportMessages } from './exporting/messages.ts'
import { peopleTables } from './exporting/people.ts'
import { findSystemBots } from './exporting/queries.ts'
import { realmTables, toChannelRow } from './exporting/realm-tables.ts'
import { openRecipients } from './exporting/recipients.ts'
import { selectParts } from './exporting/selection.ts'
import { type ExportTables, writeTables } from './exporting/tables.ts'
import { REALM_FILE } from './importing/read-export.ts'

// Writes an organization as files in the format that the import reads. Everything is from one moment. An export that
// is stopped or fails leaves nothing behind.

type ExportOptions = {
  transaction: RunTransaction
  files: FileStore
  /** Finds the organization to export. Called in the transaction that reads all its data. */
  findRealm: (db: Db) => Promise<Realm>
  scope: ExportScope
  /** An empty folder. */
  folder: string
  /** Aborts the export, which then rejects with the reason. */
  signal?: AbortSignal | undefined
  onProgress?: ((what: string, done: number, all: number) => void) | undefined
}

export type ExportedOrganization = {
  realm: Realm
  /** The number of exported items of each kind. */
  counts: Record<string, number>
  /** The number of uploaded files whose bytes are missing. */
  missingFiles: number
}

/**
 * Writes the organization, or a part of it, in the format that `importing` reads. All tables are from the same moment;
 * uploaded files and pictures are copied afterwards. The file that all readers open first is written last: a folder
 * that contains it is complete.
 */
export async function exportOrganization(options: ExportOptions): Promise<ExportedOrganization> {
  const { transaction, files, findRealm, folder, signal, onProgress } = options
  const { realm, tables, listed, heldFiles, counts } = await transaction(
    async (tx) => exportRows(tx.db, await findRealm(tx.db), options),
    { isSnapshot: true },
  )
  await writeTables(folder, 'attachment.json', { zerver_attachment: listed.attachments })
  const copied = await exportFiles(files, folder, listed.files, {
    signal,
    onProgress: (done, all) => onProgress?.('Files', done, all),
  })
  for (const file of heldFiles)
    await copyStored(files, storedName(file), join(folder, 'held_files', pathIdOf(file)), signal)
  await writeTables(folder, REALM_FILE, tables)
  return {
    realm,
    counts: { ...counts, files: copied.uploads, pictures: copied.avatars + copied.emoji + copied.realm_icons },
    missingFiles: copied.missing,
  }
}

type HeldFile = { place: string; fileName: string }

/** Writes the deleted messages that legal holds keep. Imports ignore this file. Returns the deleted files to copy. */
async function exportHeldCopies(db: Db, realm: Realm, folder: string): Promise<HeldFile[]> {
  const { messages, files } = await findHeldCopies(db, realm.id)
  if (messages.length + files.length > 0) await writeTables(folder, 'held.json', { messages, files })
  return files
}

type ExportedRows = {
  realm: Realm
  tables: ExportTables
  listed: ListedFiles
  heldFiles: readonly HeldFile[]
  counts: Record<string, number>
}

/** Writes the messages in parts, because they may not fit into memory; returns all other tables. */
async function exportRows(db: Db, realm: Realm, options: ExportOptions): Promise<ExportedRows> {
  const { folder, scope, signal, onProgress } = options
  const users = await findRealmUsers(db, realm.id)
  const systemBots = await findSystemBots(db)
  const selection = await selectParts(db, scope, {
    realmId: realm.id,
    users,
    channels: await findRealmChannels(db, realm.id),
  })
  const { channels } = selection
  const groupIds = await openGroupIds(db, realm)
  const recipients = await openRecipients(db, realm.id, { users, systemBots, selection })
  const tables = {
    ...(await realmTables(db, realm, { groupIds, selection })),
    ...(await peopleTables(db, realm, { users, systemBots, selection })),
    ...recipients.tables,
    zerver_stream: channels.map((channel) => toChannelRow(channel, groupIds)),
    ...groupIds.tables(),
  }
  const listed = await listFiles(db, realm, { users, selection, scope })
  const heldFiles = scope === 'everything' ? await exportHeldCopies(db, realm, folder) : []
  const { count, reactions, clients } = await exportMessages(db, {
    folder,
    realmId: realm.id,
    selection,
    recipients,
    signal,
    onProgress: (done, all) => onProgress?.('Messages', done, all),
  })
  const bots = users.filter(isBot).length
  return {
    realm,
    tables: { ...tables, zerver_client: clients },
    listed,
    heldFiles,
    counts: { people: users.length - bots, bots, channels: channels.length, messages: count, reactions },
  }
}

/** The name of the only folder in an archive. */
export const ARCHIVED_FOLDER = 'organization'

/**
 * Packs the export in `folder/organization`. Returns the path of the archive, which is in `folder`. Rejects after the
 * current file if `signal` aborts.
 */
export async function packExport(folder: string, signal?: AbortSignal): Promise<string> {
  const { create } = await import('tar')
  const archive = join(folder, `${ARCHIVED_FOLDER}.tar.gz`)
  const filter = () => signal?.aborted !== true
  await create({ file: archive, cwd: folder, gzip: true, portable: true, mode: 0o600, filter }, [ARCHIVED_FOLDER])
  signal?.throwIfAborted()
  return archive
}

/** Writes an export as an archive to `path`, which must not exist yet. */
export const exportArchive = (path: string, options: Omit<ExportOptions, 'folder'>): Promise<ExportedOrganization> =>
  archiveFolder(path, options.signal, (folder) => exportOrganization({ ...options, folder }))

/** Packs the folder that `write` fills as an archive at `path`, which must not exist yet. */
export async function archiveFolder<Result>(
  path: string,
  signal: AbortSignal | undefined,
  write: (folder: string) => Promise<Result>,
): Promise<Result> {
  const unfinished = `${path}.unfinished`
  const folder = join(unfinished, ARCHIVED_FOLDER)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const result = await write(folder)
    await rename(await packExport(unfinished, signal), path)
    return result
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}
