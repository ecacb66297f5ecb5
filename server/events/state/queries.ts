import { type RawBuilder, sql } from 'kysely'
import { readNotifications, type Subscription } from '#channels/subscriptions/subscription.ts'
import { Flag } from '#messages/flags/flag.ts'
import type { BotService } from '#people/users/bots/bot.ts'
import { defineCache } from '#storage/cache.ts'
import { lateralJoin } from '#storage/lateral-join.ts'
import { defineQuery } from '#storage/prepared-query.ts'
import type { Db, Dialect } from '#storage/storage.ts'

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

/** The unread messages of a topic or direct conversation. All lists of ids are ascending. */
type Unread = {
  ids: number[]
  /** The messages that mention the user, but not only with a wildcard. */
  mentions: number[]
  /** The messages that mention the user only with a wildcard. */
  wildcards: number[]
}

export type UnreadTopic = Unread & { channelId: number; topic: string }
export type UnreadConversation = Unread & { participantsKey: string }

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

const isUnread = sql<boolean>`("userMessages"."flags" & 1) = 0`
const mentions = sql<boolean>`("flags" & ${sql.lit(Flag.mentioned)}) <> 0`
const mentionsByWildcard = sql<boolean>`("flags" & ${sql.lit(Flag.mentioned)}) = 0
  and ("flags" & ${sql.lit(Flag.stream_wildcard_mentioned | Flag.topic_wildcard_mentioned)}) <> 0`

/** SQL expressions that collect the ids of a group into JSON lists. */
const collected: Readonly<Record<Dialect, Record<keyof Unread, RawBuilder<string | null>>>> = {
  sqlite: {
    ids: sql`json_group_array("id")`,
    mentions: sql`json_group_array("id") filter (where ${mentions})`,
    wildcards: sql`json_group_array("id") filter (where ${mentionsByWildcard})`,
  },
  postgres: {
    ids: sql`json_agg("id")::text`,
    mentions: sql`(json_agg("id") filter (where ${mentions}))::text`,
    wildcards: sql`(json_agg("id") filter (where ${mentionsByWildcard}))::text`,
  },
}

const collect = (db: Db) => {
  const { ids, mentions, wildcards } = collected[db.dialect]
  return [ids.as('ids'), mentions.as('mentions'), wildcards.as('wildcards')] as const
}

/** Selects unread messages in the user's subscribed channels. */
function selectInChannels(db: Db, userId: number, limit: number) {
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
    .limit(limit)
}

/** Selects unread messages in the user's direct conversations. */
function selectInConversations(db: Db, userId: number, limit: number) {
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
    .select(['messages.id', 'userMessages.flags', 'conversations.participantsKey'])
    .where('conversationMembers.userId', '=', userId)
    .where(isUnread)
    .limit(limit)
}

const anyInChannels = defineQuery((db, userId: number, limit: number) =>
  db
    .selectFrom(selectInChannels(db, userId, limit).as('unread'))
    .select(['channelId', 'topic', ...collect(db)])
    .groupBy(['channelId', 'topic']),
)

const newestInChannels = defineQuery((db, userId: number, limit: number) =>
  db
    .selectFrom(selectInChannels(db, userId, limit).orderBy('messages.id', 'desc').as('unread'))
    .select(['channelId', 'topic', ...collect(db)])
    .groupBy(['channelId', 'topic']),
)

const anyInConversations = defineQuery((db, userId: number, limit: number) =>
  db
    .selectFrom(selectInConversations(db, userId, limit).as('unread'))
    .select(['participantsKey', ...collect(db)])
    .groupBy('participantsKey'),
)

const newestInConversations = defineQuery((db, userId: number, limit: number) =>
  db
    .selectFrom(selectInConversations(db, userId, limit).orderBy('messages.id', 'desc').as('unread'))
    .select(['participantsKey', ...collect(db)])
    .groupBy('participantsKey'),
)

/** Returns the newest unread messages in the user's subscribed channels by topic. */
export const findUnreadInChannels = (db: Db, userId: number, limit: number): Promise<UnreadTopic[]> =>
  findNewest<UnreadTopic>(
    limit,
    () => anyInChannels(db, userId, limit),
    () => newestInChannels(db, userId, limit),
  )

/** Returns the newest unread messages in the user's direct conversations. */
export const findUnreadInConversations = (db: Db, userId: number, limit: number): Promise<UnreadConversation[]> =>
  findNewest<UnreadConversation>(
    limit,
    () => anyInConversations(db, userId, limit),
    () => newestInConversations(db, userId, limit),
  )

type Collected<Group> = Omit<Group, keyof Unread> & Record<keyof Unread, string | null>

/**
 * Returns the groups of the newest messages. Sorting the messages costs as much as reading them, so this happens only
 * if there are more than `limit`.
 */
async function findNewest<Group extends Unread>(
  limit: number,
  findAny: () => Promise<Collected<Group>[]>,
  findSorted: () => Promise<Collected<Group>[]>,
): Promise<Group[]> {
  const groups = (await findAny()).map(readGroup<Group>)
  const count = groups.reduce((sum, { ids }) => sum + ids.length, 0)
  return count < limit ? groups : (await findSorted()).map(readGroup<Group>)
}

const readGroup = <Group extends Unread>(row: Collected<Group>): Group => ({
  ...(row as unknown as Group),
  ids: readIds(row.ids),
  mentions: readIds(row.mentions),
  wildcards: readIds(row.wildcards),
})

const readIds = (json: string | null): number[] =>
  json === null ? [] : (JSON.parse(json) as number[]).sort((one, other) => one - other)

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
