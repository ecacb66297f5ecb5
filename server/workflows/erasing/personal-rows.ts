import { sql } from 'kysely'
import type { AuditKind } from '#people/audit-kinds.ts'
import { pseudonymousEmail } from '#people/erasures.ts'
import type { User } from '#people/users.ts'
import type { Transaction } from '#storage/storage.ts'
import type { TableName } from '#storage/tables.ts'

/** The tables whose rows of an erased user are deleted, with the column that names the user. */
const DELETED = {
  activityIntervals: 'userId',
  alertWords: 'userId',
  apiKeys: 'userId',
  digests: 'userId',
  drafts: 'userId',
  emailChangeRequests: 'userId',
  eventQueues: 'userId',
  hiddenPresences: 'userId',
  inviterCounts: 'userId',
  knownPlaces: 'userId',
  linkPreviewRequests: 'senderId',
  missedMessages: 'userId',
  mobilePushes: 'userId',
  mutedUsers: 'userId',
  passkeys: 'userId',
  presences: 'userId',
  profileValues: 'userId',
  pushSubscriptions: 'userId',
  pushTokens: 'userId',
  readMarks: 'userId',
  recoveryCodes: 'userId',
  replyAddresses: 'userId',
  savedSnippets: 'userId',
  scimUsers: 'userId',
  scheduledMessages: 'senderId',
  sentLocalIds: 'userId',
  sessions: 'userId',
  totpSecrets: 'userId',
  trustedBrowsers: 'userId',
  userStatuses: 'userId',
  userTopics: 'userId',
  zoomTokens: 'userId',
} as const satisfies Partial<Record<TableName, string>>

/**
 * The tables that keep rows of an erased user: the organization's own history, which names only the id. `userMessages`
 * and `erasures` belong to the job.
 */
export const KEPT: readonly TableName[] = [
  'conversationMembers',
  'erasures',
  'legalHolds',
  'reactions',
  'subscriptions',
  'userGroupMembers',
  'userMessages',
]

export const erasedTables: readonly string[] = Object.keys(DELETED)

/** Deletes the personal rows of the user, and the emails and invitations to their present and former addresses. */
export async function deletePersonalRows(tx: Transaction, user: User): Promise<void> {
  const { id, realmId } = user
  const requests = await tx.db
    .selectFrom('emailChangeRequests')
    .select(['oldEmail', 'newEmail'])
    .where('userId', '=', id)
    .execute()
  const addresses = [user.deliveryEmail, ...requests.flatMap(({ oldEmail, newEmail }) => [oldEmail, newEmail])]
  await eraseAddresses(tx, user, [...new Set(addresses.map((address) => address.toLowerCase()))])
  for (const [table, column] of Object.entries(DELETED))
    await tx
      .deleteFrom(table as 'drafts')
      .where(sql.ref(column), '=', id)
      .execute()
  await tx
    .updateTable('subscriptions')
    .set({ settings: '{}', isMuted: 0, isPinned: 0, color: '' })
    .where('userId', '=', id)
    .execute()
  await eraseFromAuditLog(tx, user)
  const bots = tx.db.selectFrom('users').select('users.id').where('botOwnerId', '=', id).where('realmId', '=', realmId)
  await tx.deleteFrom('apiKeys').where('userId', 'in', bots).execute()
}

/** The kinds of entries of the audit log whose details are names or addresses of the account that they are about. */
const NAMING_KINDS: readonly AuditKind[] = ['name_changed', 'email_changed', 'email_change_requested']

/** Keeps the entries of the audit log, without names, addresses and the networks from which the user acted. */
async function eraseFromAuditLog(tx: Transaction, { id, realmId }: User): Promise<void> {
  const entries = () => tx.updateTable('auditEntries').where('realmId', '=', realmId)
  await entries().set({ address: null, client: '' }).where('actorId', '=', id).execute()
  await entries()
    .set({ details: JSON.stringify({ from: null, to: null }) })
    .where('targetId', '=', id)
    .where('kind', 'in', NAMING_KINDS)
    .execute()
}

async function eraseAddresses(tx: Transaction, user: User, keys: readonly string[]): Promise<void> {
  const { realmId } = user
  await tx.deleteFrom('mails').where('realmId', '=', realmId).where('recipientKey', 'in', keys).execute()
  await tx.deleteFrom('mailRefusals').where('realmId', '=', realmId).where('recipientKey', 'in', keys).execute()
  const email = pseudonymousEmail(user)
  await tx
    .updateTable('invitations')
    .set({ email, emailKey: email })
    .where('realmId', '=', realmId)
    .where('emailKey', 'in', keys)
    .execute()
  for (const key of keys)
    await tx
      .updateTable('auditEntries')
      .set({ details: sql<string>`replace(lower("details"), ${JSON.stringify(key)}, ${JSON.stringify(email)})` })
      .where('realmId', '=', realmId)
      .where('kind', 'like', 'invitation_%')
      .where(sql<string>`lower("details")`, 'like', `%${JSON.stringify(key).replaceAll(/[\\%_]/g, '_')}%`)
      .execute()
}
