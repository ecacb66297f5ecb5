import { type RawBuilder, sql } from 'kysely'
import { defineQuery, lateralJoin } from '#storage/sql.ts'
import type { Db, Dialect, Transaction } from '#storage/storage.ts'
import { Flag } from './flags.ts'

// Unread messages. For each channel and conversation, a read mark says before which message a user has read
// everything, so that finding unread messages does not read the whole history. A mark may be lower than necessary,
// but never higher; the flags of the records decide.

/** The maximum number of unread messages that a client gets when it registers; the newest ones are included. */
export const MAX_UNREAD = 50_000

/** The maximum size of these unread messages, in bytes of JSON. Topics and conversations count too. */
export const MAX_UNREAD_BYTES = 2_000_000

/** A channel or a direct conversation. The other id is 0. */
export type MessageContainer = { channelId: number; conversationId: number }

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

export const channelContainer = (channelId: number): MessageContainer => ({ channelId, conversationId: 0 })

/** Returns the channel or direct conversation of a message. */
export function containerOf(message: { channelId: number | null; conversationId: number | null }): MessageContainer {
  return { channelId: message.channelId ?? 0, conversationId: message.conversationId ?? 0 }
}

/** Returns the id below which the user has no unread messages in the channel or conversation. */
async function findReadMark(db: Db, userId: number, { channelId, conversationId }: MessageContainer): Promise<number> {
  const mark = await db
    .selectFrom('readMarks')
    .select('messageId')
    .where('channelId', '=', channelId)
    .where('conversationId', '=', conversationId)
    .where('userId', '=', userId)
    .executeTakeFirst()
  return mark?.messageId ?? 0
}

export async function saveReadMark(
  tx: Transaction,
  userId: number,
  container: MessageContainer,
  messageId: number,
): Promise<void> {
  await tx
    .insertInto('readMarks')
    .values({ ...container, userId, messageId })
    .onConflict((on) => on.columns(['channelId', 'conversationId', 'userId']).doUpdateSet({ messageId }))
    .execute()
}

/** Lowers the user's read mark, because this message and all later ones may be unread. */
export async function lowerReadMark(
  tx: Transaction,
  userId: number,
  container: MessageContainer,
  messageId: number,
): Promise<void> {
  if ((await findReadMark(tx.db, userId, container)) > messageId) await saveReadMark(tx, userId, container, messageId)
}

/** Lowers the read marks of all users in the channel, because this message and all later ones may be unread. */
export async function lowerReadMarks(tx: Transaction, channelId: number, messageId: number): Promise<void> {
  await tx
    .updateTable('readMarks')
    .set({ messageId })
    .where('channelId', '=', channelId)
    .where('conversationId', '=', 0)
    .where('messageId', '>', messageId)
    .execute()
}

/** The maximum number of messages by which a read mark advances in one step. */
const MAX_ADVANCE = 1000

/** The number of messages that are looked at first, because the first unread one is usually near the mark. */
const FIRST_LOOK = 50

/** Advances the user's read mark to the first unread message of the container, by at most `MAX_ADVANCE` messages. */
export async function advanceReadMark(tx: Transaction, userId: number, container: MessageContainer): Promise<void> {
  const mark = await findReadMark(tx.db, userId, container)
  const nearby = await findRecordsFrom(tx.db, userId, container, mark, FIRST_LOOK)
  const mayContinue = nearby.length === FIRST_LOOK && !nearby.some(isUnreadRecord)
  const next = mayContinue ? await findRecordsFrom(tx.db, userId, container, mark, MAX_ADVANCE) : nearby
  const reached = next.find(isUnreadRecord)?.id ?? (next.at(-1)?.id ?? mark - 1) + 1
  if (reached !== mark) await saveReadMark(tx, userId, container, reached)
}

type FlagsOfMessage = { id: number; flags: number | null }

const isUnreadRecord = ({ flags }: FlagsOfMessage) => flags !== null && (flags & Flag.read) === 0

/** Returns the first messages of the container from an id on, with the user's flags; null for those without a record. */
function findRecordsFrom(
  db: Db,
  userId: number,
  container: MessageContainer,
  from: number,
  limit: number,
): Promise<FlagsOfMessage[]> {
  return db
    .selectFrom('messages')
    .leftJoin('userMessages', (join) =>
      join.onRef('userMessages.messageId', '=', 'messages.id').on('userMessages.userId', '=', userId),
    )
    .select(['messages.id', 'userMessages.flags'])
    .where('messages.id', '>=', from)
    .$if(container.channelId !== 0, (query) => query.where('channelId', '=', container.channelId))
    .$if(container.conversationId !== 0, (query) => query.where('conversationId', '=', container.conversationId))
    .orderBy('messages.id')
    .limit(limit)
    .execute()
}

/** Returns the channels and direct conversations in which the user may have unread messages. */
export async function findContainers(db: Db, userId: number): Promise<MessageContainer[]> {
  const channels = await db
    .selectFrom('subscriptions')
    .select('channelId')
    .where('userId', '=', userId)
    .where('unsubscribedAt', 'is', null)
    .execute()
  const conversations = await db
    .selectFrom('conversationMembers')
    .select('conversationId')
    .where('userId', '=', userId)
    .execute()
  return [
    ...channels.map(({ channelId }) => channelContainer(channelId)),
    ...conversations.map(({ conversationId }) => ({ channelId: 0, conversationId })),
  ]
}

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

const isUnread = sql<boolean>`("userMessages"."flags" & ${sql.lit(Flag.read)}) = 0`
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

/** Returns the ids of the user's unread messages in the container, or in one of its topics, in ascending order. */
export async function findUnreadIds(
  db: Db,
  userId: number,
  container: MessageContainer,
  topicKey?: string,
): Promise<number[]> {
  const rows = await unreadRows(db, userId, container, await findReadMark(db, userId, container))
    .$if(topicKey !== undefined, (query) => query.where('topicKey', '=', topicKey ?? ''))
    .execute()
  return rows.map((row) => row.id)
}

/** Returns the ids of the user's unread messages in the container from one sender, in ascending order. */
export async function findUnreadIdsBySender(
  db: Db,
  userId: number,
  container: MessageContainer,
  senderId: number,
): Promise<number[]> {
  const rows = await unreadRows(db, userId, container, await findReadMark(db, userId, container))
    .where('senderId', '=', senderId)
    .execute()
  return rows.map((row) => row.id)
}

function unreadRows(db: Db, userId: number, container: MessageContainer, mark: number) {
  const records = recordsOf(db, sql`${userId}`)
  return db
    .selectFrom('messages')
    .innerJoin(records.source.as<'userMessages'>('userMessages'), (join) => join.on(records.on))
    .select('messages.id')
    .where('messages.id', '>=', mark)
    .$if(container.channelId !== 0, (query) => query.where('channelId', '=', container.channelId))
    .$if(container.conversationId !== 0, (query) => query.where('conversationId', '=', container.conversationId))
    .where(isUnread)
    .orderBy('messages.id')
}
