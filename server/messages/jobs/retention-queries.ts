import { channelRetention, type Retention } from '#realms/message-retention.ts'
import { readRealmSettings } from '#realms/realm-settings.ts'
import { idsIn } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { channelContainer, type MessageContainer } from '../unread.ts'

/** The maximum number of channels or conversations per statement. Each one costs an index lookup. */
export const CONTAINERS_AT_ONCE = 500

/** The maximum number of messages of one channel or conversation per batch. */
export const MESSAGE_BATCH_SIZE = 200

type RetentionRow = { settings: string; retentionFrom: number | null }

const toRetention = ({ settings, retentionFrom }: RetentionRow): Retention => ({
  days: readRealmSettings(settings).message_retention_days,
  from: retentionFrom ?? 0,
})

/** Returns the retention setting of each organization, by organization id. */
export async function findRealmRetentions(db: Db): Promise<Map<number, Retention>> {
  const rows = await db.selectFrom('realms').select(['id', 'settings', 'retentionFrom']).execute()
  return new Map(rows.map((row) => [row.id, toRetention(row)]))
}

/** A channel or conversation, and the time of its oldest message. The time is null if there are no messages. */
export type ContainerAge = { container: MessageContainer; oldestSentAt: number | null }

/**
 * Returns at most `CONTAINERS_AT_ONCE` channels with ids above `last`, ordered by id. Each of them has its own
 * retention setting or belongs to one of these organizations. Ignores messages with a time in the future.
 */
export async function findChannelAges(
  db: Db,
  { realmIds, last, now }: { realmIds: readonly number[]; last: number; now: number },
): Promise<(ContainerAge & { id: number; realmId: number; own: { days: number | null; from: number } })[]> {
  const rows = await db
    .selectFrom('channels')
    .select(({ selectFrom }) => [
      'id',
      'realmId',
      'messageRetentionDays as days',
      'retentionFrom',
      selectFrom('messages')
        .select('sentAt')
        .whereRef('channelId', '=', 'channels.id')
        .where('sentAt', '<=', now)
        .orderBy('messages.id')
        .limit(1)
        .as('oldestSentAt'),
    ])
    .where('id', '>', last)
    .where(({ or, and, eb }) =>
      or([
        eb('messageRetentionDays', '>', 0),
        and([eb('messageRetentionDays', 'is', null), eb('realmId', 'in', idsIn(db.dialect, JSON.stringify(realmIds)))]),
      ]),
    )
    .orderBy('id')
    .limit(CONTAINERS_AT_ONCE)
    .execute()
  return rows.map(({ id, realmId, days, retentionFrom, oldestSentAt }) => ({
    container: channelContainer(id),
    id,
    realmId,
    own: { days, from: retentionFrom ?? 0 },
    oldestSentAt,
  }))
}

/** Like `findChannelAges`, for the conversations of one organization with keys after `last`, ordered by key. */
export async function findConversationAges(
  db: Db,
  { realmId, last, now }: { realmId: number; last: string; now: number },
): Promise<(ContainerAge & { key: string })[]> {
  const rows = await db
    .selectFrom('conversations')
    .select(({ selectFrom }) => [
      'id',
      'participantsKey as key',
      selectFrom('messages')
        .select('sentAt')
        .whereRef('conversationId', '=', 'conversations.id')
        .where('sentAt', '<=', now)
        .orderBy('messages.id')
        .limit(1)
        .as('oldestSentAt'),
    ])
    .where('realmId', '=', realmId)
    .where('participantsKey', '>', last)
    .orderBy('participantsKey')
    .limit(CONTAINERS_AT_ONCE)
    .execute()
  return rows.map(({ id, key, oldestSentAt }) => ({
    container: { channelId: 0, conversationId: id },
    key,
    oldestSentAt,
  }))
}

/** Returns the organization and the retention setting of a channel or conversation. */
export async function findContainerRetention(
  db: Db,
  { channelId, conversationId }: MessageContainer,
): Promise<{ realmId: number; retention: Retention } | null> {
  if (channelId === 0) {
    const row = await db
      .selectFrom('conversations')
      .innerJoin('realms', 'realms.id', 'conversations.realmId')
      .select(['realmId', 'realms.settings', 'realms.retentionFrom'])
      .where('conversations.id', '=', conversationId)
      .executeTakeFirst()
    return row === undefined ? null : { realmId: row.realmId, retention: toRetention(row) }
  }
  const row = await db
    .selectFrom('channels')
    .innerJoin('realms', 'realms.id', 'channels.realmId')
    .select(['realmId', 'realms.settings', 'realms.retentionFrom'])
    .select(['messageRetentionDays as days', 'channels.retentionFrom as from'])
    .where('channels.id', '=', channelId)
    .executeTakeFirst()
  if (row === undefined) return null
  return {
    realmId: row.realmId,
    retention: channelRetention({ days: row.days, from: row.from ?? 0 }, toRetention(row)),
  }
}

export type RetainedMessage = { id: number; topic: string; topicKey: string; sentAt: number }

const messagesIn = (db: Db, { channelId, conversationId }: MessageContainer) =>
  db
    .selectFrom('messages')
    .select(['id', 'topic', 'topicKey', 'sentAt'])
    .$if(channelId !== 0, (query) => query.where('channelId', '=', channelId))
    .$if(conversationId !== 0, (query) => query.where('conversationId', '=', conversationId))

/**
 * Returns the oldest messages of a channel or conversation, at most `MESSAGE_BATCH_SIZE`. Ignores messages with a time
 * in the future.
 */
export async function findOldestMessages(db: Db, container: MessageContainer, now: number): Promise<RetainedMessage[]> {
  return messagesIn(db, container).where('sentAt', '<=', now).orderBy('id').limit(MESSAGE_BATCH_SIZE).execute()
}

/** Locks the messages that still exist, and returns them ordered by id. */
export async function lockMessages(
  tx: Transaction,
  container: MessageContainer,
  ids: readonly number[],
): Promise<RetainedMessage[]> {
  return messagesIn(tx.db, container).where('id', 'in', ids).orderBy('id').forUpdate().execute()
}

/** Counts the user records of each message in ascending order of ids. Stops when the total exceeds `limit`. */
export async function countUserMessages(db: Db, ids: readonly number[], limit: number): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('userMessages')
    .select('messageId')
    .where('messageId', 'in', ids)
    .orderBy('messageId')
    .limit(limit + 1)
    .execute()
  const counts = new Map<number, number>()
  for (const { messageId } of rows) counts.set(messageId, (counts.get(messageId) ?? 0) + 1)
  return counts
}
