import { sql } from 'kysely'
import { eraseFromAudit } from '#people/audit.ts'
import { pseudonymousEmail } from '#people/erasures.ts'
import type { User } from '#people/users.ts'
import { lockRecipients } from '#storage/counters.ts'
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
  externalIdentities: 'userId',
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
  secondFactorNotices: 'userId',
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
  await lockRecipients(tx)
  const addresses = [user.deliveryEmail, ...requests.flatMap(({ oldEmail, newEmail }) => [oldEmail, newEmail])]
  const keys = [...new Set(addresses.map((address) => address.toLowerCase()))]
  await eraseAddresses(tx, user, keys)
  await eraseFromAudit(tx, user, keys)
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
  const bots = tx.db.selectFrom('users').select('users.id').where('botOwnerId', '=', id).where('realmId', '=', realmId)
  await tx.deleteFrom('apiKeys').where('userId', 'in', bots).execute()
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
}
