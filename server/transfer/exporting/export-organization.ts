import { findRealmChannels } from '#channels/queries.ts'
import { findRealmUsers } from '#people/users/queries.ts'
import { isBot } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import type { FileStore } from '#storage/files/files.ts'
import type { Db, RunTransaction } from '#storage/storage.ts'
import { REALM_FILE } from '../importing/read-export.ts'
import { toChannelRow } from './channel-rows.ts'
import { exportFiles, type ListedFiles, listFiles } from './files.ts'
import { openGroupIds } from './group-ids.ts'
import { exportMessages } from './messages.ts'
import { peopleTables } from './people.ts'
import { findSystemBots } from './queries.ts'
import { realmTables } from './realm-tables.ts'
import { openRecipients } from './recipients.ts'
import { type ExportScope, selectParts } from './selection.ts'
import { type ExportTables, writeTables } from './tables.ts'

export type ExportOptions = {
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
  const { realm, tables, listed, counts } = await transaction(
    async (tx) => exportRows(tx.db, await findRealm(tx.db), options),
    { isSnapshot: true },
  )
  await writeTables(folder, 'attachment.json', { zerver_attachment: listed.attachments })
  const copied = await exportFiles(files, folder, listed.files, {
    signal,
    onProgress: (done, all) => onProgress?.('Files', done, all),
  })
  await writeTables(folder, REALM_FILE, tables)
  return {
    realm,
    counts: { ...counts, files: copied.uploads, pictures: copied.avatars + copied.emoji + copied.realm_icons },
    missingFiles: copied.missing,
  }
}

type ExportedRows = { realm: Realm; tables: ExportTables; listed: ListedFiles; counts: Record<string, number> }

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
    counts: { people: users.length - bots, bots, channels: channels.length, messages: count, reactions },
  }
}
