import { type Expression, sql } from 'kysely'
import { defineCache } from '#storage/cache.ts'
import { defineQuery } from '#storage/sql.ts'
import type { Db, LargeReads, Transaction } from '#storage/storage.ts'
import type {
  DirectConversation,
  MessageWithConversation,
  Reaction,
  ReactionType,
  Submessage,
  UserMessage,
} from './message.ts'

// The rows of messages, reactions, submessages and direct conversations. Single messages come from caches. The
// queries check no permission; callers use access.ts.

/** The maximum number of submessages per message. */
export const MAX_SUBMESSAGES = 1000

/** The maximum length of a submessage's content, in characters. */
export const MAX_SUBMESSAGE_LENGTH = 10_000

/** The maximum number of cached messages. Most messages are short. */
const MAX_CACHED_MESSAGES = 2000

const messageColumns = [
  'messages.id',
  'messages.realmId',
  'messages.senderId',
  'messages.channelId',
  'messages.conversationId',
  'messages.topic',
  'messages.content',
  'messages.renderedContent',
  'messages.renderedVersion',
  'messages.client',
  'messages.sentAt',
  'messages.editHistory',
  'messages.lastEditedAt',
  'messages.lastMovedAt',
] as const

const messageById = defineQuery((db, id: number) =>
  db
    .selectFrom('messages')
    .leftJoin('conversations', 'conversations.id', 'messages.conversationId')
    .select(messageColumns)
    .select(['conversations.participantsKey', 'conversations.recipientId as groupRecipientId'])
    .where('messages.id', '=', id),
)

async function loadMessage(db: Db, id: number): Promise<MessageWithConversation | null> {
  const [row] = await messageById(db, id)
  if (row === undefined) return null
  const { participantsKey, groupRecipientId, ...message } = row
  return { ...message, directConversation: toConversation(row.conversationId, participantsKey, groupRecipientId) }
}

const messageCache = defineCache({
  dependsOn: [],
  dependsOnRowsOf: ['messages', 'conversations'],
  isBypassedInTransactions: true,
  load: loadMessage,
  limit: MAX_CACHED_MESSAGES,
})

/** Returns the message with this id. It may belong to any organization. */
export const findMessage = messageCache.get

const flagsOf = defineQuery((db, userId: number, messageId: number) =>
  db.selectFrom('userMessages').select('flags').where('userId', '=', userId).where('messageId', '=', messageId),
)

/** Returns the user's flags on the message; null without a record. */
export async function findFlags(db: Db, userId: number, messageId: number): Promise<number | null> {
  return (await flagsOf(db, userId, messageId))[0]?.flags ?? null
}

/** Returns the messages with these ids, with the user's flags, in ascending order. */
export async function findUserMessages(
  db: LargeReads,
  userId: number,
  ids: readonly number[] | Expression<number>,
): Promise<UserMessage[]> {
  const rows = await db
    .selectFrom('messages')
    .leftJoin('userMessages', (join) =>
      join.onRef('userMessages.messageId', '=', 'messages.id').on('userMessages.userId', '=', userId),
    )
    .leftJoin('conversations', 'conversations.id', 'messages.conversationId')
    .select(messageColumns)
    .select(['userMessages.flags', 'conversations.participantsKey', 'conversations.recipientId as groupRecipientId'])
    .select((is) => [
      is
        .selectFrom('reactions')
        .select(sql<number>`1`.as('one'))
        .whereRef('reactions.messageId', '=', 'messages.id')
        .limit(1)
        .as('firstReaction'),
      is
        .selectFrom('submessages')
        .select(sql<number>`1`.as('one'))
        .whereRef('submessages.messageId', '=', 'messages.id')
        .limit(1)
        .as('firstSubmessage'),
    ])
    .where('messages.id', 'in', ids)
    .orderBy('messages.id')
    .execute()
  return rows.map(({ participantsKey, groupRecipientId, firstReaction, firstSubmessage, ...message }) => ({
    ...message,
    directConversation: toConversation(message.conversationId, participantsKey, groupRecipientId),
    hasReactions: firstReaction !== null,
    hasSubmessages: firstSubmessage !== null,
  }))
}

function toConversation(
  id: number | null,
  key: string | null,
  groupRecipientId: number | null,
): DirectConversation | null {
  if (id === null || key === null) return null
  return { id, participantIds: key.split(',').map(Number), groupRecipientId }
}

type ReactionRow = Omit<Reaction, 'reactionType'> & { reactionType: string }

const toReaction = ({ emojiName, emojiCode, reactionType, userId }: ReactionRow): Reaction => ({
  emojiName,
  emojiCode,
  reactionType: reactionType as ReactionType,
  userId,
})

const reactionColumns = ['emojiName', 'emojiCode', 'reactionType', 'userId'] as const

const reactionsOf = defineQuery((db, messageId: number) =>
  db.selectFrom('reactions').select(reactionColumns).where('messageId', '=', messageId).orderBy('id'),
)

async function loadReactions(db: Db, messageId: number): Promise<Reaction[]> {
  return (await reactionsOf(db, messageId)).map(toReaction)
}

const reactionCache = defineCache({
  dependsOn: ['reactions'],
  isBypassedInTransactions: true,
  load: loadReactions,
  limit: MAX_CACHED_MESSAGES,
})

/** Returns the reactions in the order in which they were added. */
export const findReactions = reactionCache.get

/**
 * Returns the reactions of each message by message id, in the order in which they were added. Messages without
 * reactions are left out.
 */
export async function findReactionsByMessage(
  db: LargeReads,
  messageIds: readonly number[],
): Promise<Map<number, Reaction[]>> {
  if (messageIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('reactions')
    .select([...reactionColumns, 'messageId'])
    .where('messageId', 'in', messageIds)
    .orderBy('id')
    .execute()
  const groups = Map.groupBy(rows, (row) => row.messageId)
  return new Map(Array.from(groups, ([messageId, own]) => [messageId, own.map(toReaction)]))
}

/** Matches submessages within the current limit. Longer ones may come from older versions and imports. */
const isWithinLimit = sql<boolean>`octet_length("submessages"."content") <= ${sql.lit(4 * MAX_SUBMESSAGE_LENGTH)}`

const submessagesOf = defineQuery((db, messageId: number) =>
  db
    .selectFrom('submessages')
    .selectAll()
    .where('messageId', '=', messageId)
    .where(isWithinLimit)
    .orderBy('id')
    .limit(MAX_SUBMESSAGES),
)

const submessageCache = defineCache({
  dependsOn: ['submessages'],
  isBypassedInTransactions: true,
  load: submessagesOf,
  limit: MAX_CACHED_MESSAGES,
})

/** Returns the submessages in ascending order of ids. */
export const findSubmessages = submessageCache.get

/**
 * Returns the submessages of each message by message id, in ascending order of submessage ids. Messages without
 * submessages are left out.
 */
export async function findSubmessagesByMessage(
  db: LargeReads,
  messageIds: readonly number[],
): Promise<Map<number, Submessage[]>> {
  if (messageIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('submessages')
    .selectAll()
    .where('messageId', 'in', messageIds)
    .where(isWithinLimit)
    .orderBy('id')
    .execute()
  const groups = Map.groupBy(rows, (row) => row.messageId)
  return new Map(Array.from(groups, ([messageId, own]) => [messageId, own.slice(0, MAX_SUBMESSAGES)]))
}

const toParticipantsKey = (participantIds: readonly number[]) =>
  participantIds.toSorted((one, other) => one - other).join(',')

type ConversationRow = { id: number; participantsKey: string; recipientId: number | null }

export const toDirectConversation = (row: ConversationRow): DirectConversation => ({
  id: row.id,
  participantIds: row.participantsKey.split(',').map(Number),
  groupRecipientId: row.recipientId,
})

/** Returns the conversation of exactly these users; null if they have none. */
export async function findDirectConversation(
  db: Db,
  realmId: number,
  participantIds: readonly number[],
): Promise<DirectConversation | null> {
  const row = await db
    .selectFrom('conversations')
    .select(['id', 'participantsKey', 'recipientId'])
    .where('realmId', '=', realmId)
    .where('participantsKey', '=', toParticipantsKey(participantIds))
    .executeTakeFirst()
  return row === undefined ? null : toDirectConversation(row)
}

/** Returns the conversation of exactly these users. Creates it if they have none. */
export async function ensureDirectConversation(
  tx: Transaction,
  realmId: number,
  participantIds: readonly number[],
): Promise<DirectConversation> {
  const found =
    (await findDirectConversation(tx.db, realmId, participantIds)) ??
    (await createConversation(tx, realmId, participantIds))
  // On PostgreSQL, another transaction may have created the conversation in the meantime. Its row is visible when the
  // insert conflicts.
  const conversation = found ?? (await findDirectConversation(tx.db, realmId, participantIds))
  if (conversation === null) throw new Error('A conversation vanished')
  return conversation
}

/** Creates the conversation. Returns null if another transaction created it first. */
async function createConversation(
  tx: Transaction,
  realmId: number,
  participantIds: readonly number[],
): Promise<DirectConversation | null> {
  const recipientId = participantIds.length < 3 ? null : await createRecipientId(tx, realmId)
  const row = await tx
    .insertInto('conversations')
    .values({ realmId, recipientId, participantsKey: toParticipantsKey(participantIds) })
    .onConflict((on) => on.columns(['realmId', 'participantsKey']).doNothing())
    .returning(['id', 'participantsKey', 'recipientId'])
    .executeTakeFirst()
  if (row === undefined) return null
  const members = participantIds.map((userId) => ({ conversationId: row.id, userId }))
  await tx.insertInto('conversationMembers').values(members).execute()
  return toDirectConversation(row)
}

async function createRecipientId(tx: Transaction, realmId: number): Promise<number> {
  const { id } = await tx.insertInto('recipients').values({ realmId }).returning('id').executeTakeFirstOrThrow()
  return id
}

/**
 * Returns an id that separates the organization's messages: those with lower ids were sent before `time`, the others at
 * `time` or later. Returns null if all messages were sent before `time`. Uses bisection, because ids grow with time.
 */
export async function findFirstIdSince(db: Db, realmId: number, time: number): Promise<number | null> {
  const findFrom = (id: number, order: 'asc' | 'desc') =>
    db
      .selectFrom('messages')
      .select(['id', 'sentAt'])
      .where('realmId', '=', realmId)
      .where('id', '>=', id)
      .orderBy('id', order)
      .limit(1)
      .executeTakeFirst()
  const last = await findFrom(1, 'desc')
  if (last === undefined || last.sentAt < time) return null
  let [low, high] = [1, last.id]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = await findFrom(middle, 'asc')
    if (found !== undefined && found.sentAt < time) low = found.id + 1
    else high = middle
  }
  return low
}
