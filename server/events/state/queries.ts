import { type RawBuilder, sql } from 'kysely'
import { readNotifications, type Subscription } from '../../channels/subscriptions/subscription.ts'
import type { BotService } from '../../people/users/bots/bot.ts'
import { defineCache } from '../../platform/storage/cache.ts'
import { lateralJoin } from '../../platform/storage/lateral-join.ts'
import type { Db } from '../../platform/storage/storage.ts'

/** A current or former subscription of a user. */
export type ChannelMembership = { isSubscribed: boolean; subscription: Omit<Subscription, 'userId'> }

/** Returns the user's current and former subscriptions by channel id. */
export async function findEverySubscription(db: Db, userId: number): Promise<Map<number, ChannelMembership>> {
  const rows = await db
    .selectFrom('subscriptions')
    .select(['channelId', 'color', 'isMuted', 'isPinned', 'settings', 'unsubscribedAt'])
    .where('userId', '=', userId)
    .execute()
  return new Map(
    rows.map(({ channelId, color, isMuted, isPinned, settings, unsubscribedAt }) => [
      channelId,
      {
        isSubscribed: unsubscribedAt === null,
        subscription: {
          channelId,
          color,
          isMuted: isMuted === 1,
          isPinned: isPinned === 1,
          notifications: readNotifications(settings),
        },
      },
    ]),
  )
}

/** An SQL expression that collects user ids into a JSON list, in ascending order. */
const idList = {
  sqlite: sql<string>`json_group_array("userId" order by "userId")`,
  postgres: sql<string>`json_agg("userId" order by "userId")::text`,
}

const subscribersByRealm = defineCache<number, ReadonlyMap<number, readonly number[]>>({
  dependsOn: ['subscriptions', 'users'],
  limit: 20,
  async load(db, realmId) {
    const rows = await db
      .selectFrom('subscriptions')
      .innerJoin('users', 'users.id', 'subscriptions.userId')
      .select(['channelId', idList[db.dialect].as('ids')])
      .where('users.realmId', '=', realmId)
      .where('subscriptions.unsubscribedAt', 'is', null)
      .where('users.deactivatedAt', 'is', null)
      .groupBy('channelId')
      .execute()
    return new Map(rows.map((row) => [row.channelId, JSON.parse(row.ids) as number[]]))
  },
})

/**
 * Returns the ids of all active subscribers by channel id, in ascending order. Channels without subscribers are left
 * out.
 */
export function findSubscribersOfAll(
  db: Db,
  realmId: number,
): ReadonlyMap<number, readonly number[]> | Promise<ReadonlyMap<number, readonly number[]>> {
  return subscribersByRealm.get(db, realmId)
}

/** Returns the services of the organization's outgoing-webhook bots by bot id. */
export async function findBotServices(db: Db, realmId: number): Promise<Map<number, BotService>> {
  const rows = await db
    .selectFrom('botServices')
    .innerJoin('users', 'users.id', 'botServices.botId')
    .select(['botId', 'payloadUrl', 'interface', 'token'])
    .where('realmId', '=', realmId)
    .execute()
  return new Map(rows.map(({ botId, ...service }) => [botId, service]))
}

/** An unread message with its topic and the user's flags. */
export type UnreadMessage = { id: number; topic: string; flags: number }

const isUnread = sql<boolean>`("userMessages"."flags" & 1) = 0`

/** Selects the messages of a channel or conversation from the user's read mark on. */
const messagesBehindMark = (db: Db, isThere: RawBuilder<boolean>) =>
  lateralJoin<{ id: number; topic: string }>(
    db,
    'messages',
    ['id', 'topic'],
    sql`${isThere} and "messages"."id" >= coalesce("readMarks"."messageId", 0)`,
  )

/** Joins each message with the user's record of it. */
const recordsOf = (db: Db, userId: RawBuilder<unknown>) =>
  lateralJoin<{ flags: number }>(
    db,
    'userMessages',
    ['flags'],
    sql`"userMessages"."messageId" = "messages"."id" and "userMessages"."userId" = ${userId}`,
  )

/** Returns the newest unread messages in the user's subscribed channels, newest first. */
export function findUnreadInChannels(
  db: Db,
  userId: number,
  limit: number,
): Promise<(UnreadMessage & { channelId: number })[]> {
  const messages = messagesBehindMark(db, sql<boolean>`"messages"."channelId" = "subscriptions"."channelId"`)
  const records = recordsOf(db, sql.ref('subscriptions.userId'))
  return db
    .selectFrom('subscriptions')
    .leftJoin('readMarks', (join) =>
      join
        .onRef('readMarks.channelId', '=', 'subscriptions.channelId')
        .on('readMarks.conversationId', '=', 0)
        .onRef('readMarks.userId', '=', 'subscriptions.userId'),
    )
    .innerJoin(messages.source.as<'messages'>('messages'), (join) => join.on(messages.on))
    .innerJoin(records.source.as<'userMessages'>('userMessages'), (join) => join.on(records.on))
    .select(['messages.id', 'messages.topic', 'userMessages.flags', 'subscriptions.channelId'])
    .where('subscriptions.userId', '=', userId)
    .where('subscriptions.unsubscribedAt', 'is', null)
    .where(isUnread)
    .orderBy('messages.id', 'desc')
    .limit(limit)
    .execute()
}

/** Returns the newest unread messages in the user's direct conversations, newest first. */
export function findUnreadInConversations(
  db: Db,
  userId: number,
  limit: number,
): Promise<(UnreadMessage & { participantsKey: string })[]> {
  const messages = messagesBehindMark(
    db,
    sql<boolean>`"messages"."conversationId" = "conversationMembers"."conversationId"`,
  )
  const records = recordsOf(db, sql.ref('conversationMembers.userId'))
  return db
    .selectFrom('conversationMembers')
    .innerJoin('conversations', 'conversations.id', 'conversationMembers.conversationId')
    .leftJoin('readMarks', (join) =>
      join
        .on('readMarks.channelId', '=', 0)
        .onRef('readMarks.conversationId', '=', 'conversationMembers.conversationId')
        .onRef('readMarks.userId', '=', 'conversationMembers.userId'),
    )
    .innerJoin(messages.source.as<'messages'>('messages'), (join) => join.on(messages.on))
    .innerJoin(records.source.as<'userMessages'>('userMessages'), (join) => join.on(records.on))
    .select(['messages.id', 'messages.topic', 'userMessages.flags', 'conversations.participantsKey'])
    .where('conversationMembers.userId', '=', userId)
    .where(isUnread)
    .orderBy('messages.id', 'desc')
    .limit(limit)
    .execute()
}

/** Returns the ids of the user's starred messages, ascending. */
export async function findStarredIds(db: Db, userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('userMessages')
    .select('messageId')
    .where('userId', '=', userId)
    // This expression must be the same as in the index.
    .where(sql<boolean>`("flags" & 2) <> 0`)
    .orderBy('messageId')
    .execute()
  return rows.map((row) => row.messageId)
}

/** Returns the user's direct conversations that have messages, with the newest message of each. */
export async function findConversationsOf(
  db: Db,
  userId: number,
): Promise<{ participantIds: number[]; newestId: number }[]> {
  const rows = await db
    .selectFrom('conversationMembers')
    .innerJoin('conversations', 'conversations.id', 'conversationMembers.conversationId')
    .select('participantsKey')
    .select(({ selectFrom }) =>
      selectFrom('messages')
        .select('id')
        .whereRef('messages.conversationId', '=', 'conversations.id')
        .orderBy('id', 'desc')
        .limit(1)
        .as('newestId'),
    )
    .where('userId', '=', userId)
    .execute()
  return rows.flatMap(({ participantsKey, newestId }) =>
    newestId === null ? [] : { participantIds: participantsKey.split(',').map(Number), newestId },
  )
}
