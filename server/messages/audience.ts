import { findChannelSubscriberIds } from '../channels/audience-queries.ts'
import { batches } from '../platform/storage/batches.ts'
import { lockMessageIds } from '../platform/storage/counters.ts'
import type { Db, Transaction } from '../platform/storage/storage.ts'
import { isOpenTo } from '../rules/channel-rules.ts'
import { hasProtectedHistory } from './access.ts'
import type { ConversationRef } from './conversation.ts'

/** The channel of a conversation; null for direct messages. */
export type ChannelOrDirect = Pick<ConversationRef, 'channel'>

/**
 * The ids of the users who receive events about an existing message, with their flags on it. The flags are null for
 * users without a record.
 */
export type MessageAudience = Map<number, number | null>

/**
 * Returns the users who receive events about a change to a message: users who have a record of it and may still read
 * it, and the subscribers of the channel. Concurrent unsubscribing has either finished, or waits until this transaction
 * ends.
 */
export async function findMessageAudience(
  tx: Transaction,
  messageId: number,
  conversation: ChannelOrDirect,
): Promise<MessageAudience> {
  await lockMessageIds(tx)
  return addSubscribers(
    tx.db,
    conversation,
    new Map((await findHolders(tx.db, [messageId], conversation)).map(toEntry)),
  )
}

/**
 * Returns the users who receive events about a change to several messages of one conversation: users who have a record
 * of at least one of the messages and may still read it, and the subscribers of the channel.
 */
export async function findMessageAudienceIds(
  tx: Transaction,
  messageIds: readonly number[],
  conversation: ChannelOrDirect,
): Promise<Set<number>> {
  await lockMessageIds(tx)
  const holders = new Map<number, number | null>()
  for (const batch of batches(messageIds))
    for (const { userId } of await findHolders(tx.db, batch, conversation)) holders.set(userId, null)
  return new Set((await addSubscribers(tx.db, conversation, holders)).keys())
}

/**
 * Returns the audience of each message, in ascending order of user ids. Use it only for channels with protected
 * history, where subscribers see only the messages that they received.
 */
export async function findAudienceOfEachMessage(
  tx: Transaction,
  messageIds: readonly number[],
  conversation: ChannelOrDirect,
): Promise<Map<number, readonly number[]>> {
  await lockMessageIds(tx)
  const audience = new Set((await findHolders(tx.db, messageIds, conversation)).map(({ userId }) => userId))
  const records = await tx.db
    .selectFrom('userMessages')
    .select(['messageId', 'userId'])
    .where('messageId', 'in', messageIds)
    .orderBy('userId')
    .execute()
  const recordsByMessage = Map.groupBy(
    records.filter(({ userId }) => audience.has(userId)),
    ({ messageId }) => messageId,
  )
  return new Map(Array.from(recordsByMessage, ([messageId, own]) => [messageId, own.map(({ userId }) => userId)]))
}

type Holder = { userId: number; flags: number }

const toEntry = ({ userId, flags }: Holder): [number, number] => [userId, flags]

/** Returns the active users who have a record of one of the messages and may read the conversation. */
async function findHolders(db: Db, messageIds: readonly number[], { channel }: ChannelOrDirect): Promise<Holder[]> {
  const rows = await db
    .selectFrom('userMessages')
    .innerJoin('users', 'users.id', 'userMessages.userId')
    .leftJoin('subscriptions', (join) =>
      join
        .onRef('subscriptions.userId', '=', 'userMessages.userId')
        .on('subscriptions.channelId', '=', channel?.id ?? 0)
        .on('subscriptions.unsubscribedAt', 'is', null),
    )
    .select(({ fn }) => [
      'userMessages.userId',
      fn.max('userMessages.flags').as('flags'),
      'users.role',
      'subscriptions.userId as subscriberId',
    ])
    .where('userMessages.messageId', 'in', messageIds)
    .where('users.deactivatedAt', 'is', null)
    .groupBy(['userMessages.userId', 'users.role', 'subscriptions.userId'])
    .execute()
  if (channel === null) return rows
  return rows.filter((row) => row.subscriberId !== null || isOpenTo(row, channel))
}

async function addSubscribers(
  db: Db,
  { channel }: ChannelOrDirect,
  audience: MessageAudience,
): Promise<MessageAudience> {
  if (channel === null || hasProtectedHistory(channel)) return audience
  for (const userId of await findChannelSubscriberIds(db, channel.id))
    if (!audience.has(userId)) audience.set(userId, null)
  return audience
}
