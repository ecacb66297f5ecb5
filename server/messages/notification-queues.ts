import { sql } from 'kysely'
import { defineCache } from '#storage/cache.ts'
import { defineUnawaitedWrite, integerAt, realAt, rowsIn } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// Push notifications that wait to be delivered. They are saved in the transaction of the message, so none is lost or
// sent for a message that was not. They are stored here, below the module that delivers them.

/** A browser that shows notifications while no page is open in it, as long as its user is logged in. */
export type PushSubscription = {
  sessionId: number
  userId: number
  /** The address of its push service. */
  endpoint: string
  /** The public key of the browser (P-256) and its secret of 16 bytes, in base64url. */
  p256dh: string
  auth: string
}

/** A pending notification of a message for a browser. */
export type PushNotice = {
  sessionId: number
  messageId: number
  attempts: number
  /** The time of the next attempt. */
  dueAt: number
}

const saveMobileRows = defineUnawaitedWrite('mobilePushes', (tx, users: string, messageId: number) =>
  tx
    .insertInto('mobilePushes')
    .columns(['userId', 'messageId', 'attempts', 'dueAt'])
    .expression(
      rowsIn(tx.db, users)
        .innerJoin('pushTokens', (join) => join.on('pushTokens.userId', '=', integerAt(0)))
        .select([
          'pushTokens.userId',
          sql<number>`cast(${messageId} as bigint)`.as('messageId'),
          sql<number>`cast(0 as bigint)`.as('attempts'),
          realAt(1).as('dueAt'),
        ])
        .where(sql<boolean>`true`),
    )
    .onConflict((on) => on.doNothing()),
)

const saveNoticeRows = defineUnawaitedWrite('pushNotices', (tx, users: string, messageId: number, now: number) =>
  tx
    .insertInto('pushNotices')
    .columns(['sessionId', 'messageId', 'attempts', 'dueAt'])
    .expression(
      rowsIn(tx.db, users)
        .innerJoin('pushSubscriptions', (join) => join.on('pushSubscriptions.userId', '=', integerAt(0)))
        .innerJoin('sessions', 'sessions.id', 'pushSubscriptions.sessionId')
        .select([
          'pushSubscriptions.sessionId',
          sql<number>`cast(${messageId} as bigint)`.as('messageId'),
          sql<number>`cast(0 as bigint)`.as('attempts'),
          realAt(1).as('dueAt'),
        ])
        .where('sessions.expiresAt', '>', now),
    )
    .onConflict((on) => on.doNothing()),
)

/**
 * Adds a notification of the message, due at `dueAt`, for each browser of these users, and for their devices if there is
 * a push service. Existing notifications stay unchanged.
 */
export function savePushNotices(
  tx: Transaction,
  messageId: number,
  users: readonly { userId: number; dueAt: number }[],
): void {
  if (users.length === 0) return
  const rows = JSON.stringify(users.map(({ userId, dueAt }) => [userId, dueAt]))
  saveNoticeRows(tx, rows, messageId, tx.now)
  if (tx.db.settings.PUSH_SERVICE_URL !== '') saveMobileRows(tx, rows, messageId)
}

/**
 * Returns the due notifications of up to `most` browsers, one for each. The later notifications of a browser wait for
 * its first one. `nextAt` is the next time at which any notification becomes due.
 */
export async function findDuePushNotices(
  db: Db,
  now: number,
  most: number,
): Promise<{ due: PushNotice[]; nextAt: number | null }> {
  const due = await db
    .selectFrom('pushNotices as notice')
    .selectAll()
    .where('dueAt', '<=', now)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('pushNotices as earlier')
            .select('earlier.messageId')
            .whereRef('earlier.sessionId', '=', 'notice.sessionId')
            .whereRef('earlier.messageId', '<', 'notice.messageId'),
        ),
      ),
    )
    .orderBy('dueAt')
    .orderBy('messageId')
    .limit(most)
    .execute()
  const next = await db
    .selectFrom('pushNotices')
    .select('dueAt')
    .where('dueAt', '>', now)
    .orderBy('dueAt')
    .limit(1)
    .executeTakeFirst()
  return { due, nextAt: next?.dueAt ?? null }
}

/** Returns false if the notification was sent, dropped or tried again since it was read. */
export async function isPushNoticePending(db: Db, { sessionId, messageId, attempts }: PushNotice): Promise<boolean> {
  const row = await db
    .selectFrom('pushNotices')
    .select('messageId')
    .where('sessionId', '=', sessionId)
    .where('messageId', '=', messageId)
    .where('attempts', '=', attempts)
    .executeTakeFirst()
  return row !== undefined
}

export async function deferPushNotice(
  tx: Transaction,
  { sessionId, messageId }: PushNotice,
  dueAt: number,
): Promise<void> {
  await tx
    .updateTable('pushNotices')
    .set((is) => ({ attempts: is('attempts', '+', 1), dueAt }))
    .where('sessionId', '=', sessionId)
    .where('messageId', '=', messageId)
    .execute()
}

export async function deletePushNotice(tx: Transaction, { sessionId, messageId }: PushNotice): Promise<void> {
  await tx.deleteFrom('pushNotices').where('sessionId', '=', sessionId).where('messageId', '=', messageId).execute()
}

/** Deletes all notifications that wait for a browser. */
export async function deletePushNotices(tx: Transaction, sessionId: number): Promise<void> {
  await tx.deleteFrom('pushNotices').where('sessionId', '=', sessionId).execute()
}

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
  dependsOn: ['pushSubscriptions', 'pushTokens'],
  limit: 2000,
  async load(db, realmId) {
    const rows = await db
      .selectFrom('pushSubscriptions')
      .innerJoin('users', 'users.id', 'pushSubscriptions.userId')
      .select('userId')
      .where('realmId', '=', realmId)
      .execute()
    if (db.settings.PUSH_SERVICE_URL === '') return new Set(rows.map(({ userId }) => userId))
    const devices = await db
      .selectFrom('pushTokens')
      .innerJoin('users', 'users.id', 'pushTokens.userId')
      .select('userId')
      .where('realmId', '=', realmId)
      .execute()
    return new Set([...rows, ...devices].map(({ userId }) => userId))
  },
})

/**
 * Returns the users of an organization who have a subscription, possibly with some whose session has expired, or a device
 * that the push service can reach.
 */
export const findPushSubscriberIds = subscriberIds.get
