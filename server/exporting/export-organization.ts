import { findRealmChannels } from '../channels/queries.ts'
import { REALM_FILE } from '../importing/read-export.ts'
import type { Realm } from '../realms/realm.ts'
import type { FileStore } from '../storage/files/files.ts'
import type { Db } from '../storage/storage.ts'
import { findRealmUsers } from '../users/queries.ts'
import { isBot } from '../users/user.ts'
import { toChannelRow } from './channel-rows.ts'
import { exportAvatars, exportEmoji, exportUploads } from './files.ts'
import { openGroupIds } from './group-ids.ts'
import { exportMessages } from './messages.ts'
import { peopleTables } from './people.ts'
import { realmTables } from './realm-tables.ts'
import { openRecipients } from './recipients.ts'
import { writeJson } from './tables.ts'

export type ExportOptions = {
  /** What is read must be as of one moment. */
  db: Db
  files: FileStore
  realm: Realm
  /** An empty folder. */
  folder: string
  onProgress?: ((what: string, done: number, all: number) => void) | undefined
}

/**
 * Writes the organization in the format that `importing` reads. The file that all readers begin with comes last: a folder
 * that has it is whole. How much there is of each thing.
 */
export async function exportOrganization(options: ExportOptions): Promise<Record<string, number>> {
  const { db, files, realm, folder, onProgress } = options
  const users = await findRealmUsers(db, realm.id)
  const channels = await findRealmChannels(db, realm.id)
  const groupIds = await openGroupIds(db, realm)
  const recipients = await openRecipients(db, realm.id, { users, channels })
  const tables = {
    ...(await realmTables(db, realm, groupIds)),
    ...(await peopleTables(db, realm, users)),
    ...recipients.tables,
    zerver_stream: channels.map((channel) => toChannelRow(channel, groupIds)),
    ...groupIds.tables(),
  }
  const { count, reactions, clients } = await exportMessages(db, {
    folder,
    realmId: realm.id,
    recipients,
    onProgress: (done, all) => onProgress?.('Messages', done, all),
  })
  const uploads = await exportUploads(db, realm, { folder, files }, (done, all) => onProgress?.('Files', done, all))
  const avatars = await exportAvatars(realm, users, { folder, files })
  const emoji = await exportEmoji(db, realm, { folder, files })
  await writeJson(folder, REALM_FILE, { ...tables, zerver_client: clients })
  const bots = users.filter(isBot).length
  return {
    people: users.length - bots,
    bots,
    channels: channels.length,
    messages: count,
    reactions,
    files: uploads,
    pictures: avatars + emoji,
  }
}
