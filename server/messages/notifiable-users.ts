import { type Selectable, sql } from 'kysely'
import { type Notifications, readNotifications } from '#channels/subscriptions.ts'
import type { MessageTopic } from '#channels/topic.ts'
import { VisibilityPolicy } from '#channels/user-topics.ts'
import { findUser } from '#people/user-queries.ts'
import { readUserSettings, type UserSettings } from '#people/user-settings.ts'
import { type Actor, isBot, type User } from '#people/users.ts'
import { findRealm } from '#realms/queries.ts'
import { defineCache } from '#storage/cache.ts'
import {
  COMPUTED_ONCE,
  defineQuery,
  defineUnawaitedWrite,
  idsIn,
  integerAt,
  integersOf,
  lateralJoin,
  realAt,
  rowsIn,
  textAt,
  toStorableText,
} from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { Tables } from '#storage/tables.ts'
import { ANY_WILDCARD, Flag } from './flags.ts'

// The users who want a notification about a message, by the settings of the user, the channel and the topic, and the
// emails that wait for users who are away. Queries return supersets where that is cheaper; the rule decides.

/**
 * A user's settings for notifications: the general settings, and the settings for the channel and topic of a message.
 */
type NotificationPreferences = {
  settings: UserSettings
  /** Null for direct messages, and for channels that the user is not subscribed to. */
  subscription: { isMuted: boolean; notifications: Notifications } | null
  policy: VisibilityPolicy
}

/** A notification is an email, or a push notification to a browser without an open page. */
export type NotificationMedium = 'mail' | 'push'

/** A user who may get notifications, with the data that shows whether they are online. */
export type NotifiableUser = NotificationPreferences & {
  id: number
  /** True if a client of the user receives message events. */
  isConnected: boolean
  /** The time of the last reported activity; null if there is none. */
  lastActiveAt: number | null
}

const SETTINGS = {
  mail: {
    personal: 'enable_offline_email_notifications',
    inFollowed: 'enable_followed_topic_email_notifications',
    inChannels: 'enable_stream_email_notifications',
    inChannel: 'email_notifications',
  },
  push: {
    personal: 'enable_offline_push_notifications',
    inFollowed: 'enable_followed_topic_push_notifications',
    inChannels: 'enable_stream_push_notifications',
    inChannel: 'push_notifications',
  },
} as const

/**
 * Returns true if the user wants a notification about a missed message. `flags` are the user's flags on the message.
 * Users who do not want to be disturbed get no push notifications until the time that they have chosen.
 */
export function wantsNotification(
  medium: NotificationMedium,
  preferences: NotificationPreferences,
  flags: number,
  { isDirect, now }: { isDirect: boolean; now: number },
): boolean {
  if (flags & Flag.read) return false
  if (medium === 'push' && preferences.settings.do_not_disturb_until > now) return false
  const wantsOwn = preferences.settings[SETTINGS[medium].personal]
  if ((isDirect || flags & Flag.mentioned) && wantsOwn) return true
  if (isDirect || preferences.subscription === null) return false
  const isWildcard = (flags & ANY_WILDCARD) !== 0 && wantsOwn
  return (
    wantsFromTopic(medium, preferences, isWildcard) ||
    wantsFromChannel(medium, preferences, preferences.subscription, isWildcard)
  )
}

function wantsFromTopic(
  medium: NotificationMedium,
  { settings, policy }: NotificationPreferences,
  isWildcard: boolean,
): boolean {
  if (policy !== VisibilityPolicy.followed) return false
  return (
    settings[SETTINGS[medium].inFollowed] || (isWildcard && settings.enable_followed_topic_wildcard_mentions_notify)
  )
}

function wantsFromChannel(
  medium: NotificationMedium,
  { settings, policy }: NotificationPreferences,
  { isMuted, notifications }: NonNullable<NotificationPreferences['subscription']>,
  isWildcard: boolean,
): boolean {
  if (isMuted ? policy !== VisibilityPolicy.unmuted : policy === VisibilityPolicy.muted) return false
  if (isWildcard && (notifications.wildcard_mentions_notify ?? settings.wildcard_mentions_notify)) return true
  const { inChannel, inChannels } = SETTINGS[medium]
  return notifications[inChannel] ?? settings[inChannels]
}

/** Seconds of inactivity after which a user counts as away, even if a client is connected. */
export const AWAY_AFTER = 200

/** Matches event queues that receive message events. `table` is the alias of `eventQueues` in the statement. */
export const receivesMessageEvents = (table: string) =>
  sql<boolean>`(${sql.ref(`${table}.form`)} like '%"eventTypes":null%' or ${sql.ref(`${table}.form`)} like '%"message"%')`

/** Takes a list of `[position, channel id, topic key, user ids]`. */
const selectNotifiableUsers = defineQuery((db, places: string, now: number) => {
  const place = rowsIn(db, places)
    .select([integerAt(0).as('at'), integerAt(1).as('channelId'), textAt(2).as('topicKey'), textAt(3).as('userIds')])
    .limit(COMPUTED_ONCE)
  const users = lateralJoin<Pick<Selectable<Tables['users']>, 'id' | 'settings' | 'botType' | 'deactivatedAt'>>(
    db,
    'users',
    ['id', 'settings', 'botType', 'deactivatedAt'],
    sql`"users"."id" = "person"."value"`,
  )
  const subscriptions = lateralJoin<Pick<Selectable<Tables['subscriptions']>, 'isMuted' | 'settings'>>(
    db,
    'subscriptions',
    ['isMuted', 'settings'],
    sql`"subscriptions"."userId" = "users"."id" and "subscriptions"."channelId" = "place"."channelId"
      and "subscriptions"."unsubscribedAt" is null`,
  )
  return db
    .selectFrom(place.as('place'))
    .innerJoin(integersOf(db, 'place.userIds', 'person'), (join) => join.onTrue())
    .innerJoin(users.source.as<'users'>('users'), (join) => join.on(users.on))
    .leftJoin(subscriptions.source.as<'subscriptions'>('subscriptions'), (join) => join.on(subscriptions.on))
    .select([
      'place.at',
      'users.id',
      'users.settings',
      'subscriptions.isMuted',
      'subscriptions.settings as notifications',
    ])
    .select(({ selectFrom }) => [
      selectFrom('userTopics')
        .select('visibilityPolicy')
        .whereRef('userTopics.userId', '=', 'users.id')
        .whereRef('userTopics.channelId', '=', 'place.channelId')
        .whereRef('userTopics.topicKey', '=', 'place.topicKey')
        .as('visibilityPolicy'),
      selectFrom('presences').select('lastActiveAt').whereRef('presences.userId', '=', 'users.id').as('lastActiveAt'),
      selectFrom('eventQueues')
        .select('eventQueues.userId')
        .whereRef('eventQueues.userId', '=', 'users.id')
        .where((is) => is(is('polledAt', '+', is.ref('lifespan')), '>', now))
        .where(receivesMessageEvents('eventQueues'))
        .limit(1)
        .as('connectedId'),
    ])
    .where('users.botType', 'is', null)
    .where('users.deactivatedAt', 'is', null)
})

/** Returns, for each message, those of its users who are active and not bots. */
export async function findNotifiableUsers(
  db: Db,
  messages: readonly { topicRef: MessageTopic; userIds: readonly number[] }[],
  now: number,
): Promise<NotifiableUser[][]> {
  const places = messages.map(({ topicRef, userIds }, at) => [
    at,
    topicRef?.channelId ?? 0,
    toStorableText(topicRef?.topicKey ?? ''),
    userIds.join(),
  ])
  const rows = await selectNotifiableUsers(db, JSON.stringify(places), now)
  const found: NotifiableUser[][] = messages.map(() => [])
  for (const row of rows) found[row.at]?.push(toNotifiableUser(row))
  return found
}

type NotifiableRow = Awaited<ReturnType<typeof selectNotifiableUsers>>[number]

function toNotifiableUser(row: NotifiableRow): NotifiableUser {
  return {
    id: row.id,
    settings: readUserSettings(row.settings),
    subscription:
      row.isMuted === null
        ? null
        : { isMuted: row.isMuted === 1, notifications: readNotifications(row.notifications ?? '{}') },
    policy: (row.visibilityPolicy ?? VisibilityPolicy.inherit) as VisibilityPolicy,
    isConnected: row.connectedId !== null,
    lastActiveAt: row.lastActiveAt,
  }
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

export type PendingMail = { userId: number; messageId: number; dueAt: number }

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

/** Returns the user if they can receive notifications. Returns null for bots, and for users who cannot log in. */
export async function findNotifiableActor(db: Db, userId: number): Promise<Actor | null> {
  const user = await findUser(db, userId)
  if (user === null || user.deactivatedAt !== null || isBot(user)) return null
  const realm = await findRealm(db, user.realmId)
  return realm === null || realm.deactivatedAt !== null ? null : { ...user, realm }
}

/** Returns true if the same email address has an active account in another organization of this server. */
export async function hasAccountInOtherRealm(db: Db, { realmId, deliveryEmail }: User): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('emailKey', '=', deliveryEmail.toLowerCase())
    .where('realmId', '!=', realmId)
    .where('deactivatedAt', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
