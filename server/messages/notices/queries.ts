import { sql } from 'kysely'
import { readNotifications } from '#channels/subscriptions/subscription.ts'
import type { MessageTopic } from '#channels/topic.ts'
import { VisibilityPolicy } from '#channels/user-topics/user-topic.ts'
import { readUserSettings } from '#people/users/settings/settings.ts'
import { defineCache } from '#storage/cache.ts'
import { idsIn, integerAt, realAt, rowsIn } from '#storage/json-list.ts'
import { defineQuery, defineUnawaitedWrite } from '#storage/prepared-query.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { NotificationPreferences } from './wants-notification.ts'

/** Seconds of inactivity after which a user counts as away, even if a client is connected. */
export const AWAY_AFTER = 200

/** Matches event queues that receive message events. `table` is the alias of `eventQueues` in the statement. */
export const receivesMessageEvents = (table: string) =>
  sql<boolean>`(${sql.ref(`${table}.form`)} like '%"eventTypes":null%' or ${sql.ref(`${table}.form`)} like '%"message"%')`

/** A user who may get notifications, with the data that shows whether they are online. */
export type NotifiableUser = NotificationPreferences & {
  id: number
  /** True if a client of the user receives message events. */
  isConnected: boolean
  /** The time of the last reported activity; null if there is none. */
  lastActiveAt: number | null
}

const selectNotifiableUsers = defineQuery((db, userIds: string, channelId: number, topicKey: string, now: number) =>
  db
    .selectFrom('users')
    .leftJoin('subscriptions', (join) =>
      join
        .onRef('subscriptions.userId', '=', 'users.id')
        .on('subscriptions.channelId', '=', channelId)
        .on('subscriptions.unsubscribedAt', 'is', null),
    )
    .leftJoin('userTopics', (join) =>
      join
        .onRef('userTopics.userId', '=', 'users.id')
        .on('userTopics.channelId', '=', channelId)
        .on('userTopics.topicKey', '=', topicKey),
    )
    .leftJoin('presences', 'presences.userId', 'users.id')
    .select([
      'users.id',
      'users.settings',
      'subscriptions.isMuted',
      'subscriptions.settings as notifications',
      'userTopics.visibilityPolicy',
      'presences.lastActiveAt',
    ])
    .select(({ selectFrom }) =>
      selectFrom('eventQueues')
        .select('eventQueues.userId')
        .whereRef('eventQueues.userId', '=', 'users.id')
        .where((is) => is(is('polledAt', '+', is.ref('lifespan')), '>', now))
        .where(receivesMessageEvents('eventQueues'))
        .limit(1)
        .as('connectedId'),
    )
    .where('users.id', 'in', idsIn(db.dialect, userIds))
    .where('users.botType', 'is', null)
    .where('users.deactivatedAt', 'is', null),
)

/** Returns those of the users who are active and not bots. */
export async function findNotifiableUsers(
  db: Db,
  userIds: readonly number[],
  topicRef: MessageTopic,
  now: number,
): Promise<NotifiableUser[]> {
  const rows = await selectNotifiableUsers(
    db,
    JSON.stringify(userIds),
    topicRef?.channelId ?? 0,
    topicRef?.topicKey ?? '',
    now,
  )
  return rows.map((row) => ({
    id: row.id,
    settings: readUserSettings(row.settings),
    subscription:
      row.isMuted === null
        ? null
        : { isMuted: row.isMuted === 1, notifications: readNotifications(row.notifications ?? '{}') },
    policy: (row.visibilityPolicy ?? VisibilityPolicy.inherit) as VisibilityPolicy,
    isConnected: row.connectedId !== null,
    lastActiveAt: row.lastActiveAt,
  }))
}

const channelNotificationUserIds = defineCache<number, ReadonlySet<number>>({
  dependsOn: ['subscriptions', 'users'],
  limit: 2000,
  load: async (db, channelId) => new Set((await notificationRows(db, channelId).execute()).map(({ userId }) => userId)),
  async update(db, channelId, before, userIds) {
    const rows = await notificationRowsWithin(db, channelId, JSON.stringify(userIds))
    const current = new Set(rows.map(({ userId }) => userId))
    if (userIds.every((id) => before.has(id) === current.has(id))) return before
    return before.difference(new Set(userIds)).union(current)
  },
})

const notificationRows = (db: Db, channelId: number) =>
  db
    .selectFrom('subscriptions')
    .innerJoin('users', 'users.id', 'subscriptions.userId')
    .select('subscriptions.userId')
    .where('channelId', '=', channelId)
    .where('unsubscribedAt', 'is', null)
    .where((is) =>
      is.or([
        is('subscriptions.settings', 'like', '%"email_notifications":true%'),
        is('subscriptions.settings', 'like', '%"push_notifications":true%'),
        is('users.settings', 'like', '%"enable_stream_email_notifications":true%'),
        is('users.settings', 'like', '%"enable_stream_push_notifications":true%'),
      ]),
    )

const notificationRowsWithin = defineQuery((db, channelId: number, userIds: string) =>
  notificationRows(db, channelId).where('userId', 'in', idsIn(db.dialect, userIds)),
)

/** Returns a superset of the users who want notifications about every message of the channel. */
export const findChannelNotificationUserIds = channelNotificationUserIds.get

const topicFollowerIds = defineCache<string, ReadonlySet<number>>({
  dependsOn: ['userTopics'],
  limit: 5000,
  async load(db, key) {
    const [channelId, topicKey] = JSON.parse(key) as [number, string]
    const rows = await db
      .selectFrom('userTopics')
      .select('userId')
      .where('channelId', '=', channelId)
      .where('topicKey', '=', topicKey)
      .where('visibilityPolicy', '=', VisibilityPolicy.followed)
      .execute()
    return new Set(rows.map((row) => row.userId))
  },
})

/** Returns the users who follow the topic, whether or not they are subscribed to its channel. */
export function findTopicFollowerIds(db: Db, { channelId, topicKey }: NonNullable<MessageTopic>) {
  return topicFollowerIds.get(db, JSON.stringify([channelId, topicKey]))
}

type PendingMail = { userId: number; messageId: number; dueAt: number }

const savePendingMailRows = defineUnawaitedWrite('missedMessages', (tx, rows: string) =>
  tx
    .insertInto('missedMessages')
    .columns(['userId', 'messageId', 'dueAt'])
    .expression(
      rowsIn(tx.db, rows)
        .select([integerAt(0).as('userId'), integerAt(1).as('messageId'), realAt(2).as('dueAt')])
        // Without a WHERE clause SQLite would parse ON CONFLICT as a join condition.
        .where(sql<boolean>`true`),
    )
    .onConflict((on) => on.doNothing()),
)

export function savePendingMails(tx: Transaction, mails: readonly PendingMail[]): void {
  if (mails.length === 0) return
  savePendingMailRows(tx, JSON.stringify(mails.map(({ userId, messageId, dueAt }) => [userId, messageId, dueAt])))
}

/** Returns the user whose email is due next, and the time at which it is due; null if no email is pending. */
export async function findNextPendingMail(db: Db): Promise<Pick<PendingMail, 'userId' | 'dueAt'> | null> {
  const row = await db
    .selectFrom('missedMessages')
    .select(['userId', 'dueAt'])
    .orderBy('dueAt')
    .orderBy('userId')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** Deletes all pending emails of the user, due or not, and returns their message ids in ascending order. */
export async function deletePendingMails(tx: Transaction, userId: number): Promise<number[]> {
  const rows = await tx.deleteFrom('missedMessages').where('userId', '=', userId).returning('messageId').execute()
  return rows.map((row) => row.messageId).sort((a, b) => a - b)
}
