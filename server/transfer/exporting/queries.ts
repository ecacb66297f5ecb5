import type { DirectConversation } from '#messages/message.ts'
import type { Condition } from '#messages/narrow.ts'
import { toDirectConversation } from '#messages/queries.ts'
import type { User } from '#people/users.ts'
import { SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import { idsIn } from '#storage/sql.ts'
import type { Db } from '#storage/storage.ts'

export function findSystemBots(db: Db) {
  return db
    .selectFrom('users')
    .innerJoin('realms', 'realms.id', 'users.realmId')
    .select(['users.id', 'deliveryEmail', 'recipientId'])
    .where('subdomain', '=', SYSTEM_SUBDOMAIN)
    .orderBy('users.id')
    .execute()
}

/** The accounts of an organization, and the system bots, which can send messages in all organizations. */
export type ExportedPeople = { users: readonly User[]; systemBots: Awaited<ReturnType<typeof findSystemBots>> }

export function findActiveSubscriptions(db: Db, realmId: number) {
  return db
    .selectFrom('subscriptions')
    .innerJoin('channels', 'channels.id', 'subscriptions.channelId')
    .select(['subscriptions.userId', 'subscriptions.channelId'])
    .where('realmId', '=', realmId)
    .where('unsubscribedAt', 'is', null)
    .execute()
}

/** Finds current and former subscriptions to the organization's channels. */
export function findExportedSubscriptions(db: Db, realmId: number) {
  return db
    .selectFrom('subscriptions')
    .innerJoin('channels', 'channels.id', 'subscriptions.channelId')
    .selectAll('subscriptions')
    .select('recipientId')
    .where('realmId', '=', realmId)
    .orderBy('subscriptions.channelId')
    .orderBy('subscriptions.userId')
    .execute()
}

export async function findConversations(db: Db, realmId: number): Promise<DirectConversation[]> {
  const rows = await db
    .selectFrom('conversations')
    .select(['id', 'participantsKey', 'recipientId'])
    .where('realmId', '=', realmId)
    .orderBy('id')
    .execute()
  return rows.map(toDirectConversation)
}

/** Selects the accounts of the organization, to restrict other tables. */
const accountsOf = (db: Db, realmId: number) => db.selectFrom('users').select('users.id').where('realmId', '=', realmId)

export function findExportedBotServices(db: Db, realmId: number) {
  return db
    .selectFrom('botServices')
    .select(['botId', 'payloadUrl', 'interface'])
    .where('botId', 'in', accountsOf(db, realmId))
    .orderBy('botId')
    .execute()
}

export function findExportedAlertWords(db: Db, realmId: number) {
  return db
    .selectFrom('alertWords')
    .select(['id', 'userId', 'word'])
    .where('userId', 'in', accountsOf(db, realmId))
    .orderBy('id')
    .execute()
}

export function findExportedStatuses(db: Db, realmId: number) {
  return db
    .selectFrom('userStatuses')
    .selectAll()
    .where('userId', 'in', accountsOf(db, realmId))
    .orderBy('userId')
    .execute()
}

export function findExportedMutedUsers(db: Db, realmId: number) {
  return db
    .selectFrom('mutedUsers')
    .selectAll()
    .where('userId', 'in', accountsOf(db, realmId))
    .orderBy('userId')
    .orderBy('mutedUserId')
    .execute()
}

export function findExportedUserTopics(db: Db, realmId: number) {
  return db
    .selectFrom('userTopics')
    .innerJoin('channels', 'channels.id', 'userTopics.channelId')
    .selectAll('userTopics')
    .select('recipientId')
    .where('realmId', '=', realmId)
    .orderBy('userId')
    .orderBy('userTopics.channelId')
    .orderBy('topicKey')
    .execute()
}

export function findProfileValues(db: Db, realmId: number) {
  return db
    .selectFrom('profileValues')
    .select(['userId', 'fieldId', 'value'])
    .where('userId', 'in', accountsOf(db, realmId))
    .orderBy('userId')
    .orderBy('fieldId')
    .execute()
}

/** Finds the links from the matching messages to files of the organization. */
export function findAttachmentLinks(db: Db, realmId: number, isExported: Condition) {
  return db
    .selectFrom('attachmentClaims')
    .innerJoin('attachments', 'attachments.id', 'attachmentId')
    .innerJoin('messages', 'messages.id', 'attachmentClaims.messageId')
    .select(['attachmentId', 'messageId'])
    .where('attachments.realmId', '=', realmId)
    .where(isExported)
    .orderBy('attachmentId')
    .orderBy('messageId')
    .execute()
}

export type MessageRange = { realmId: number; isExported: Condition }

/** Finds at most `limit` matching messages after `id`, ordered by id. */
export function findMessagesAfter(db: Db, { realmId, isExported }: MessageRange, id: number, limit: number) {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('realmId', '=', realmId)
    .where(isExported)
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export type StoredMessage = Awaited<ReturnType<typeof findMessagesAfter>>[number]

export async function countMessages(db: Db, { realmId, isExported }: MessageRange): Promise<number> {
  const { count } = await db
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('realmId', '=', realmId)
    .where(isExported)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Counts the matching records of each message. Messages without matching records are omitted. */
export async function countRecords(
  db: Db,
  messageIds: readonly number[],
  isExported: Condition,
): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('userMessages')
    .select(({ fn }) => ['messageId', fn.countAll<number>().as('count')])
    .where('messageId', 'in', idsIn(db.dialect, JSON.stringify(messageIds)))
    .where(isExported)
    .groupBy('messageId')
    .execute()
  return new Map(rows.map(({ messageId, count }) => [messageId, Number(count)]))
}

/** Finds the matching records of the messages, and the reactions and submessages of the messages. */
export async function findBelongings(db: Db, messageIds: readonly number[], isExported: Condition) {
  const among = idsIn(db.dialect, JSON.stringify(messageIds))
  return {
    records: await db
      .selectFrom('userMessages')
      .selectAll()
      .where('messageId', 'in', among)
      .where(isExported)
      .orderBy('messageId')
      .orderBy('userId')
      .execute(),
    reactions: await db.selectFrom('reactions').selectAll().where('messageId', 'in', among).orderBy('id').execute(),
    submessages: await db.selectFrom('submessages').selectAll().where('messageId', 'in', among).orderBy('id').execute(),
  }
}
