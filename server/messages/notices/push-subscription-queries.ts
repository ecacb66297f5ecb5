import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { PushSubscription } from './push-notice.ts'
import { deletePushNotices } from './push-notice-queries.ts'

const columns = [
  'pushSubscriptions.sessionId',
  'pushSubscriptions.userId',
  'pushSubscriptions.endpoint',
  'pushSubscriptions.p256dh',
  'pushSubscriptions.auth',
] as const

/** Saves the subscription, and deletes earlier ones of the same session or the same browser. */
export async function savePushSubscription(tx: Transaction, subscription: PushSubscription): Promise<void> {
  const { sessionId, endpoint } = subscription
  const others = await tx
    .deleteFrom('pushSubscriptions')
    .where('endpoint', '=', endpoint)
    .where('sessionId', '!=', sessionId)
    .returning('sessionId')
    .execute()
  for (const other of others) await deletePushNotices(tx, other.sessionId)
  await tx
    .insertInto('pushSubscriptions')
    .values({ ...subscription, addedAt: tx.now })
    .onConflict((on) =>
      on.column('sessionId').doUpdateSet({ endpoint, p256dh: subscription.p256dh, auth: subscription.auth }),
    )
    .execute()
}

/** Deletes the subscription with its pending notifications. Returns false if the session has none with this address. */
export async function deletePushSubscription(
  tx: Transaction,
  { sessionId, endpoint }: Pick<PushSubscription, 'sessionId' | 'endpoint'>,
): Promise<boolean> {
  const row = await tx
    .deleteFrom('pushSubscriptions')
    .where('sessionId', '=', sessionId)
    .where('endpoint', '=', endpoint)
    .returning('sessionId')
    .executeTakeFirst()
  if (row !== undefined) await deletePushNotices(tx, sessionId)
  return row !== undefined
}

/** Returns null if the session has no subscription or has expired. */
export async function findPushSubscription(db: Db, sessionId: number, now: number): Promise<PushSubscription | null> {
  const row = await db
    .selectFrom('pushSubscriptions')
    .innerJoin('sessions', 'sessions.id', 'pushSubscriptions.sessionId')
    .select(columns)
    .where('sessionId', '=', sessionId)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return row ?? null
}

const subscriberIds = defineCache<number, ReadonlySet<number>>({
  dependsOn: ['pushSubscriptions'],
  limit: 2000,
  async load(db, realmId) {
    const rows = await db
      .selectFrom('pushSubscriptions')
      .innerJoin('users', 'users.id', 'pushSubscriptions.userId')
      .select('userId')
      .where('realmId', '=', realmId)
      .execute()
    return new Set(rows.map(({ userId }) => userId))
  },
})

/** Returns the users of an organization who have a subscription, possibly with some whose session has expired. */
export const findPushSubscriberIds = subscriberIds.get
