import { sql } from 'kysely'
import { Flag } from '#messages/flags/flag.ts'
import { findNotifiableActor } from '#messages/notices/notifiable-user.ts'
import { savePushNotices } from '#messages/notices/push-notice-queries.ts'
import { findPushSubscriberIds } from '#messages/notices/push-subscription-queries.ts'
import { AWAY_AFTER, receivesMessageEvents, savePendingMails } from '#messages/notices/queries.ts'
import type { NotificationMedium } from '#messages/notices/wants-notification.ts'
import { stringList, stringsIn } from '#storage/json-list.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { findMissedMessages } from './find-missed-messages.ts'

/** The maximum number of received messages to check per user. The newest ones are checked. */
const MAX_MESSAGES = 1000

/**
 * Schedules notifications for users who were online when a message was sent but whose last client never fetched it.
 * Call it when event queues expire, before the queues are deleted.
 */
export async function scheduleUnfetchedNotifications(tx: Transaction, queueIds: readonly string[]): Promise<void> {
  for (const disconnected of await findDisconnectedUsers(tx.db, queueIds)) {
    const { userId } = disconnected
    const actor = await findNotifiableActor(tx.db, userId)
    if (actor === null) continue
    const ids = await findUnfetchedIds(tx.db, disconnected, actor.realm.settings.presence_disabled)
    if (ids.length === 0) continue
    const find = async (medium: NotificationMedium) =>
      (await findMissedMessages(tx.db, actor, { medium, ids }, tx.now)).flatMap(({ messages }) =>
        messages.map(({ id }) => id),
      )
    const dueAt = tx.now + actor.settings.email_notifications_batching_period_seconds
    savePendingMails(
      tx,
      (await find('mail')).map((messageId) => ({ userId, messageId, dueAt })),
    )
    // Users with this setting were notified when the messages were sent.
    if (actor.settings.enable_online_push_notifications) continue
    if (!(await findPushSubscriberIds(tx.db, actor.realmId)).has(userId)) continue
    for (const messageId of await find('push')) savePushNotices(tx, messageId, [{ userId, dueAt: tx.now }])
  }
}

/** A user whose last poll was at `polledAt` and who counted as connected until `disconnectedAt`. */
type DisconnectedUser = { userId: number; polledAt: number; disconnectedAt: number }

/** Returns the users of these queues who have no other event queue for messages. */
async function findDisconnectedUsers(db: Db, queueIds: readonly string[]): Promise<DisconnectedUser[]> {
  const expiringIds = stringsIn(db.dialect, stringList(queueIds))
  return db
    .selectFrom('eventQueues as expired')
    .select(({ fn }) => ['expired.userId', fn.max('expired.polledAt').as('polledAt')])
    .select(sql<number>`max("expired"."polledAt" + "expired"."lifespan")`.as('disconnectedAt'))
    .where('expired.id', 'in', expiringIds)
    .where(receivesMessageEvents('expired'))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('eventQueues as other')
            .select('other.userId')
            .whereRef('other.userId', '=', 'expired.userId')
            .where('other.id', 'not in', expiringIds)
            .where(receivesMessageEvents('other')),
        ),
      ),
    )
    .groupBy('expired.userId')
    .execute()
}

/** Returns the ids of the messages that caused no notification because the user was online. */
async function findUnfetchedIds(
  db: Db,
  { userId, polledAt, disconnectedAt }: DisconnectedUser,
  isPresenceDisabled: boolean,
): Promise<number[]> {
  const rows = await db
    .selectFrom(
      db
        .selectFrom('userMessages')
        .selectAll()
        .where('userId', '=', userId)
        .orderBy('messageId', 'desc')
        .limit(MAX_MESSAGES)
        .as('received'),
    )
    .innerJoin('messages', 'messages.id', 'received.messageId')
    .leftJoin('presences', 'presences.userId', 'received.userId')
    .select('messageId')
    .where('sentAt', '>', polledAt)
    .where('sentAt', '<', disconnectedAt)
    .where('senderId', '!=', userId)
    .where(sql<boolean>`("flags" & ${Flag.read}) = 0`)
    .$if(!isPresenceDisabled, (query) =>
      query.where((is) => is(is('sentAt', '-', is.ref('lastActiveAt')), '<=', AWAY_AFTER)),
    )
    .execute()
  return rows.map((row) => row.messageId)
}
