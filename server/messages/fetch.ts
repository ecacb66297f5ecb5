import { type Expression, sql } from 'kysely'
import { defineQuery } from '../storage/prepared-query.ts'
import type { Db } from '../storage/storage.ts'
import type { Conversation, FoundMessage, Reaction, ReactionType, Submessage } from './message.ts'

/** The columns of a `Message`. */
export const messageColumns = [
  'messages.id',
  'messages.realmId',
  'messages.senderId',
  'messages.channelId',
  'messages.conversationId',
  'messages.topic',
  'messages.content',
  'messages.renderedContent',
  'messages.client',
  'messages.sentAt',
  'messages.editHistory',
  'messages.lastEditedAt',
  'messages.lastMovedAt',
] as const

/** All messages as one person finds them. */
function foundBy(db: Db, userId: number) {
  return db
    .selectFrom('messages')
    .leftJoin('userMessages', (join) =>
      join.onRef('userMessages.messageId', '=', 'messages.id').on('userMessages.userId', '=', userId),
    )
    .leftJoin('subscriptions', (join) =>
      join
        .onRef('subscriptions.channelId', '=', 'messages.channelId')
        .on('subscriptions.userId', '=', userId)
        .on('subscriptions.unsubscribedAt', 'is', null),
    )
    .leftJoin('conversations', 'conversations.id', 'messages.conversationId')
    .select(messageColumns)
    .select([
      'userMessages.flags',
      'subscriptions.userId as subscriberId',
      'conversations.participantsKey',
      'conversations.recipientId as groupRecipientId',
    ])
    .select((is) => [
      is
        .selectFrom('reactions')
        .select(sql<number>`1`.as('one'))
        .whereRef('reactions.messageId', '=', 'messages.id')
        .limit(1)
        .as('aReaction'),
      is
        .selectFrom('submessages')
        .select(sql<number>`1`.as('one'))
        .whereRef('submessages.messageId', '=', 'messages.id')
        .limit(1)
        .as('aSubmessage'),
    ])
}

const messageFor = defineQuery((db, userId: number, messageId: number) =>
  foundBy(db, userId).where('messages.id', '=', messageId),
)

type FoundRow = Awaited<ReturnType<typeof messageFor>>[number]

/** The message of any organization as the person finds it, in one statement; nothing is said of whether they may. */
export async function findMessageFor(db: Db, userId: number, messageId: number): Promise<FoundMessage | null> {
  const [row] = await messageFor(db, userId, messageId)
  return row === undefined ? null : toFound(row)
}

/** As `findMessageFor`, those whose ids are among `ids`, in ascending order of their ids. */
export async function findMessagesFor(
  db: Db,
  userId: number,
  ids: readonly number[] | Expression<number>,
): Promise<FoundMessage[]> {
  const rows = await foundBy(db, userId).where('messages.id', 'in', ids).orderBy('messages.id').execute()
  return rows.map(toFound)
}

function toFound(row: FoundRow): FoundMessage {
  const { subscriberId, participantsKey, groupRecipientId, aReaction, aSubmessage, ...message } = row
  return {
    ...message,
    isSubscribed: subscriberId !== null,
    conversation: toConversation(row.conversationId, participantsKey, groupRecipientId),
    hasReactions: aReaction !== null,
    hasSubmessages: aSubmessage !== null,
  }
}

function toConversation(id: number | null, key: string | null, groupRecipientId: number | null): Conversation | null {
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

/** In the order in which they were added. */
export async function findReactions(db: Db, messageId: number): Promise<Reaction[]> {
  return (await reactionsOf(db, messageId)).map(toReaction)
}

/** The reactions to each of the messages that has any, by its id, in the order in which they were added. */
export async function findReactionsTo(db: Db, messageIds: readonly number[]): Promise<Map<number, Reaction[]>> {
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

const submessagesOf = defineQuery((db, messageId: number) =>
  db.selectFrom('submessages').selectAll().where('messageId', '=', messageId).orderBy('id'),
)

/** In ascending order of their ids. */
export function findSubmessages(db: Db, messageId: number): Promise<Submessage[]> {
  return submessagesOf(db, messageId)
}

/** The submessages of each of the messages that has any, by its id, in ascending order of their own ids. */
export async function findSubmessagesOf(db: Db, messageIds: readonly number[]): Promise<Map<number, Submessage[]>> {
  if (messageIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('submessages')
    .selectAll()
    .where('messageId', 'in', messageIds)
    .orderBy('id')
    .execute()
  return Map.groupBy(rows, (row) => row.messageId)
}
