import { idsIn } from '#storage/json-list.ts'
import { defineQuery } from '#storage/prepared-query.ts'
import type { Db } from '#storage/storage.ts'

/** The status of a current or former subscriber. Users who were never subscribed have no status. */
export type SubscriptionStatus = 'subscribed' | 'former'

const statusesIn = defineQuery((db, userId: number, channelIds: string) =>
  db
    .selectFrom('subscriptions')
    .select(['channelId', 'unsubscribedAt'])
    .where('userId', '=', userId)
    .where('channelId', 'in', idsIn(db.dialect, channelIds)),
)

/**
 * Returns the user's subscription status in each of the channels. Channels in which the user has no status are left
 * out.
 */
export async function findSubscriptionStatuses(
  db: Db,
  userId: number,
  channelIds: readonly number[],
): Promise<Map<number, SubscriptionStatus>> {
  const rows = await statusesIn(db, userId, JSON.stringify(channelIds))
  return new Map(rows.map((row) => [row.channelId, row.unsubscribedAt === null ? 'subscribed' : 'former']))
}

const statusIn = defineQuery((db, userId: number, channelId: number) =>
  db
    .selectFrom('subscriptions')
    .select('unsubscribedAt')
    .where('userId', '=', userId)
    .where('channelId', '=', channelId),
)

/** Returns the user's subscription status in the channel; null if the user was never subscribed. */
export async function findSubscriptionStatus(
  db: Db,
  userId: number,
  channelId: number,
): Promise<SubscriptionStatus | null> {
  const [row] = await statusIn(db, userId, channelId)
  if (row === undefined) return null
  return row.unsubscribedAt === null ? 'subscribed' : 'former'
}

export async function isSubscribed(db: Db, userId: number, channelId: number): Promise<boolean> {
  return (await findSubscriptionStatus(db, userId, channelId)) === 'subscribed'
}

/** Returns the ids of the channels to which the user is subscribed, including archived ones. */
export async function findSubscribedIds(db: Db, userId: number): Promise<Set<number>> {
  const rows = await db
    .selectFrom('subscriptions')
    .select('channelId')
    .where('userId', '=', userId)
    .where('unsubscribedAt', 'is', null)
    .execute()
  return new Set(rows.map((row) => row.channelId))
}
