import { idsIn } from '#storage/json-list.ts'
import { defineWrite } from '#storage/prepared-query.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { type NotificationName, readNotifications, type Subscription } from './subscription.ts'

const columns = ['userId', 'channelId', 'color', 'isMuted', 'isPinned', 'settings'] as const

type Row = { userId: number; channelId: number; color: string; isMuted: number; isPinned: number; settings: string }

const toSubscription = ({ settings, ...row }: Row): Subscription => ({
  ...row,
  isMuted: row.isMuted === 1,
  isPinned: row.isPinned === 1,
  notifications: readNotifications(settings),
})

/** The maximum number of rows in one statement. It is well below SQLite's limit on parameters. */
const ROWS_AT_ONCE = 1000

/** Returns the user's subscriptions, including those to archived channels, ordered by channel id. */
export async function findSubscriptions(db: Db, userId: number): Promise<Subscription[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select(columns)
    .where('userId', '=', userId)
    .where('unsubscribedAt', 'is', null)
    .orderBy('channelId')
    .execute()
  return rows.map(toSubscription)
}

/** Returns the current subscriptions to the channel, ordered by user id. */
export async function findSubscriptionsTo(db: Db, channelId: number): Promise<Subscription[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select(columns)
    .where('channelId', '=', channelId)
    .where('unsubscribedAt', 'is', null)
    .orderBy('userId')
    .execute()
  return rows.map(toSubscription)
}

/**
 * Returns the ids of those channels that at least one of the users knows by name: the user is subscribed, or was
 * subscribed while the channel had its current name.
 */
export async function findChannelsKnownByName(
  db: Db,
  userIds: readonly number[],
  channelIds: readonly number[],
): Promise<Set<number>> {
  const rows = await db
    .selectFrom('subscriptions')
    .innerJoin('channels', 'channels.id', 'channelId')
    .select('channelId')
    .distinct()
    .where('userId', 'in', userIds)
    .where('channelId', 'in', channelIds)
    .where((is) =>
      is.or([
        is('unsubscribedAt', 'is', null),
        is('renamedAt', 'is', null),
        is('unsubscribedAt', '>', is.ref('renamedAt')),
      ]),
    )
    .execute()
  return new Set(rows.map((row) => row.channelId))
}

type NewSubscription = { userId: number; channelId: number; color: string }

/**
 * Subscribes the users who are not subscribed yet, and returns their subscriptions. Former subscriptions keep their
 * settings. If two transactions subscribe the same user at once, only one of them returns the subscription.
 */
export async function saveSubscriptions(tx: Transaction, wanted: readonly NewSubscription[]): Promise<Subscription[]> {
  const saved: Subscription[] = []
  for (let start = 0; start < wanted.length; start += ROWS_AT_ONCE) {
    const rows = await tx
      .insertInto('subscriptions')
      .values(
        wanted.slice(start, start + ROWS_AT_ONCE).map((subscription) => ({
          ...subscription,
          isMuted: 0 as const,
          isPinned: 0 as const,
          settings: '{}',
          subscribedAt: tx.now,
          unsubscribedAt: null,
        })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['userId', 'channelId'])
          .doUpdateSet({ subscribedAt: tx.now, unsubscribedAt: null })
          .where('subscriptions.unsubscribedAt', 'is not', null),
      )
      .returning(columns)
      .execute()
    saved.push(...rows.map(toSubscription))
  }
  return saved
}

const deactivateRows = defineWrite('subscriptions', (tx, unsubscribedAt: number, userIds: string, channelIds: string) =>
  tx
    .updateTable('subscriptions')
    .set({ unsubscribedAt })
    .where('userId', 'in', idsIn(tx.db.dialect, userIds))
    .where('channelId', 'in', idsIn(tx.db.dialect, channelIds))
    .where('unsubscribedAt', 'is', null)
    .returning(['userId', 'channelId']),
)

/** Unsubscribes the users from the channels, and returns the subscriptions that this has ended. */
export function deactivateSubscriptions(
  tx: Transaction,
  userIds: readonly number[],
  channelIds: readonly number[],
): Promise<{ userId: number; channelId: number }[]> {
  return deactivateRows(tx, tx.now, JSON.stringify(userIds), JSON.stringify(channelIds))
}

type SubscriptionFields = { color: string; isMuted: 0 | 1; isPinned: 0 | 1 }

export async function saveSubscriptionFields(
  tx: Transaction,
  userId: number,
  channelId: number,
  fields: Partial<SubscriptionFields>,
): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set(fields)
    .where('userId', '=', userId)
    .where('channelId', '=', channelId)
    .returning('userId')
    .execute()
}

/** Sets one notification setting for the channel; null means that the user's own setting applies. */
export async function saveNotification(
  tx: Transaction,
  userId: number,
  channelId: number,
  name: NotificationName,
  value: boolean | null,
): Promise<void> {
  const { settings } = await tx.db
    .selectFrom('subscriptions')
    .select('settings')
    .where('userId', '=', userId)
    .where('channelId', '=', channelId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const changed = JSON.stringify({ ...JSON.parse(settings), [name]: value })
  await tx
    .updateTable('subscriptions')
    .set({ settings: changed })
    .where('userId', '=', userId)
    .where('channelId', '=', channelId)
    .returning('userId')
    .execute()
}
