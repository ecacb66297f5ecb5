import { findChannelSubscriberIds } from '../channels/audience-queries.ts'
import { isGuest } from '../people/users/role.ts'
import { batches } from '../platform/storage/batches.ts'
import { lockMessageIds } from '../platform/storage/counters.ts'
import type { Db, Transaction } from '../platform/storage/storage.ts'
import { isReceivedOnly } from './access.ts'
import type { Place } from './content/message-setting.ts'

/** A place, as far as it says who hears of what happens there. */
export type Surroundings = Pick<Place, 'channel'>

/** Who hears of a change to a message that is there already, by id, with their flags; null where they have no record. */
export type Hearers = Map<number, number | null>

/**
 * Who hears of a change: those who have the message and may still read it, and the channel's subscribers. Whoever is
 * leaving has left, or stays until the transaction ends.
 */
export async function findHearers(tx: Transaction, messageId: number, place: Surroundings): Promise<Hearers> {
  await lockMessageIds(tx)
  return addSubscribers(tx.db, place, new Map((await findHolders(tx.db, [messageId], place)).map(toEntry)))
}

/** As `findHearers`, but of any of these messages of one place. Nothing is said of their flags. */
export async function findHearerIds(
  tx: Transaction,
  messageIds: readonly number[],
  place: Surroundings,
): Promise<Set<number>> {
  await lockMessageIds(tx)
  const holders = new Map<number, number | null>()
  for (const batch of batches(messageIds))
    for (const { userId } of await findHolders(tx.db, batch, place)) holders.set(userId, null)
  return new Set((await addSubscribers(tx.db, place, holders)).keys())
}

/** As `findHearerIds`, of each of the messages, in a place where people read only what they have received; in order. */
export async function findHearersOfEach(
  tx: Transaction,
  messageIds: readonly number[],
  place: Surroundings,
): Promise<Map<number, readonly number[]>> {
  await lockMessageIds(tx)
  const hearers = new Set((await findHolders(tx.db, messageIds, place)).map(({ userId }) => userId))
  const records = await tx.db
    .selectFrom('userMessages')
    .select(['messageId', 'userId'])
    .where('messageId', 'in', messageIds)
    .orderBy('userId')
    .execute()
  const heard = Map.groupBy(
    records.filter(({ userId }) => hearers.has(userId)),
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

async function addSubscribers(db: Db, { channel }: Surroundings, hearers: Hearers): Promise<Hearers> {
  if (channel === null || isReceivedOnly(channel)) return hearers
  for (const userId of await findChannelSubscriberIds(db, channel.id))
    if (!hearers.has(userId)) hearers.set(userId, null)
  return hearers
}
