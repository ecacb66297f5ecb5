import { CompiledQuery } from 'kysely'
import type { Transaction } from './storage.ts'
import type { TableName } from './tables.ts'

/** Every table; a name that is missing here does not compile. */
const tables: Record<TableName, true> = {
  realms: true,
  realmDomains: true,
  realmEmoji: true,
  linkifiers: true,
  recipients: true,
  users: true,
  apiKeys: true,
  apiKeyUses: true,
  sessions: true,
  setupLinks: true,
  botServices: true,
  webhookCalls: true,
  userGroups: true,
  userGroupMembers: true,
  userGroupSubgroups: true,
  channels: true,
  defaultChannels: true,
  subscriptions: true,
  conversations: true,
  conversationMembers: true,
  messageWords: true,
  messages: true,
  userMessages: true,
  missedMessages: true,
  readMarks: true,
  reactions: true,
  submessages: true,
  presences: true,
  presenceCeilings: true,
  activityIntervals: true,
  invitations: true,
  invitationCounts: true,
  mails: true,
  mailAttempts: true,
  mailRefusals: true,
  events: true,
  eventQueues: true,
  counters: true,
  installation: true,
  mutedUsers: true,
  userTopics: true,
  userStatuses: true,
  alertWords: true,
  drafts: true,
  scheduledMessages: true,
  savedSnippets: true,
  botStorage: true,
  pushTokens: true,
  defaultUserSettings: true,
  playgrounds: true,
  profileFields: true,
  profileValues: true,
  attachments: true,
  attachmentClaims: true,
}

const tableNames = Object.keys(tables) as TableName[]

/** Deletes every row of every table, and has ids begin at 1 again: for disposable servers alone. */
export async function emptyDatabase(tx: Transaction): Promise<void> {
  const run = (statement: string) => tx.db.executeQuery(CompiledQuery.raw(statement))
  if (tx.db.dialect === 'postgres')
    await run(`truncate ${tableNames.map((name) => `"${name}"`).join(', ')} restart identity cascade`)
  else await run('pragma defer_foreign_keys = on')
  // On PostgreSQL nothing is left to delete, but caches learn by it that the tables were written.
  for (const name of tableNames) await tx.deleteFrom(name).execute()
  if (tx.db.dialect === 'sqlite') await run('delete from sqlite_sequence')
}
