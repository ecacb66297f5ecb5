import { sql } from 'kysely'
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

const messageFor = defineQuery((db, userId: number, messageId: number) =>
  db
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
    .where('messages.id', '=', messageId),
)

/** The message of any organization as the person finds it, in one statement; nothing is said of whether they may. */
export async function findMessageFor(db: Db, userId: number, messageId: number): Promise<FoundMessage | null> {
  const [row] = await messageFor(db, userId, messageId)
  if (row === undefined) return null
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

const reactionsOf = defineQuery((db, messageId: number) =>
  db
    .selectFrom('reactions')
    .select(['emojiName', 'emojiCode', 'reactionType', 'userId'])
    .where('messageId', '=', messageId)
    .orderBy('id'),
)

/** In the order in which they were added. */
export async function findReactions(db: Db, messageId: number): Promise<Reaction[]> {
  const rows = await reactionsOf(db, messageId)
  return rows.map((row) => ({ ...row, reactionType: row.reactionType as ReactionType }))
}

const submessagesOf = defineQuery((db, messageId: number) =>
  db.selectFrom('submessages').selectAll().where('messageId', '=', messageId).orderBy('id'),
)

/** In ascending order of their ids. */
export function findSubmessages(db: Db, messageId: number): Promise<Submessage[]> {
  return submessagesOf(db, messageId)
}
