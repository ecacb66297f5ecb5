import { findChannelSubscriberIds } from '../channels/audience-queries.ts'
import { isGuest } from '../people/users/role.ts'
import { batches } from '../platform/storage/batches.ts'
import { lockMessageIds } from '../platform/storage/counters.ts'
import type { Db, Transaction } from '../platform/storage/storage.ts'
import { hasProtectedHistory } from './access.ts'
import type { ConversationRef } from './conversation.ts'

/** A place, as far as it says who hears of what happens there. */
export type Surroundings = Pick<ConversationRef, 'channel'>

/** Who hears of a change to a message that is there already, by id, with their flags; null where they have no record. */
export type MessageAudience = Map<number, number | null>

/**
 * Who hears of a change: those who have the message and may still read it, and the channel's subscribers. Whoever is
 * leaving has left, or stays until the transaction ends.
 */
export async function findMessageAudience(
  tx: Transaction,
  messageId: number,
  conversation: Surroundings,
): Promise<MessageAudience> {
  await lockMessageIds(tx)
  return addSubscribers(
    tx.db,
    conversation,
    new Map((await findHolders(tx.db, [messageId], conversation)).map(toEntry)),
  )
}

/** As `findHearers`, but of any of these messages of one place. Nothing is said of their flags. */
export async function findMessageAudienceIds(
  tx: Transaction,
  messageIds: readonly number[],
  conversation: Surroundings,
): Promise<Set<number>> {
  await lockMessageIds(tx)
  const holders = new Map<number, number | null>()
  for (const batch of batches(messageIds))
    for (const { userId } of await findHolders(tx.db, batch, conversation)) holders.set(userId, null)
  return new Set((await addSubscribers(tx.db, conversation, holders)).keys())
}

/** As `findHearerIds`, of each of the messages, in a place where people read only what they have received; in order. */
export async function findAudienceOfEachMessage(
  tx: Transaction,
  messageIds: readonly number[],
  conversation: Surroundings,
): Promise<Map<number, readonly number[]>> {
  await lockMessageIds(tx)
  const audience = new Set((await findHolders(tx.db, messageIds, conversation)).map(({ userId }) => userId))
  const records = await tx.db
    .selectFrom('userMessages')
    .select(['messageId', 'userId'])
    .where('messageId', 'in', messageIds)
    .orderBy('userId')
    .execute()
  const heard = Map.groupBy(
    records.filter(({ userId }) => audience.has(userId)),
    ({ messageId }) => messageId,
  )
  return new Map(Array.from(heard, ([messageId, of]) => [messageId, of.map(({ userId }) => userId)]))
}

type Holder = { userId: number; flags: number }

const toEntry = ({ userId, flags }: Holder): [number, number] => [userId, flags]

/** The active accounts that have a record of one of the messages and may read what is said in its place. */
async function findHolders(db: Db, messageIds: readonly number[], { channel }: Surroundings): Promise<Holder[]> {
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
  return rows.filter((row) => row.subscriberId !== null || (!channel.isPrivate && !isGuest(row)))
}

async function addSubscribers(db: Db, { channel }: Surroundings, audience: MessageAudience): Promise<MessageAudience> {
  if (channel === null || hasProtectedHistory(channel)) return audience
  for (const userId of await findChannelSubscriberIds(db, channel.id))
    if (!audience.has(userId)) audience.set(userId, null)
  return audience
}
