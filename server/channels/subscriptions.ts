import { z } from 'zod'
import type { User } from '#people/users.ts'
import { lockRecipients } from '#storage/counters.ts'
import { defineWrite, idsIn } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { type Channel, type ChannelJson, channelFields } from './channel.ts'

// A subscription: a user's personal settings for a channel, as they are stored and as clients see them. The settings
// are kept when the user unsubscribes. Notification settings that were never changed follow the user's own.

/** A user's personal settings for a channel. They are kept when the user unsubscribes. */
export type Subscription = {
  userId: number
  channelId: number
  color: string
  isMuted: boolean
  isPinned: boolean
  notifications: Notifications
}

export type UserChannelPair = { user: User; channel: Channel }

/**
 * The API names of a subscription's notification settings. A value of null means that the user's own setting applies.
 */
export const notificationNames = [
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
  'wildcard_mentions_notify',
] as const

export type NotificationName = (typeof notificationNames)[number]

export type Notifications = Record<NotificationName, boolean | null>

/** The names of the notification settings that a subscription can inherit from the user's own settings. */
const inheritedNames = [
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
] as const satisfies readonly NotificationName[]

export type InheritedNotifications = Record<(typeof inheritedNames)[number], boolean>

/** Returns the user's own notification settings, which apply where a subscription has none. */
export function inheritedNotifications({ settings }: Pick<User, 'settings'>): InheritedNotifications {
  const entries = inheritedNames.map((name) => [name, settings[`enable_stream_${name}`]])
  return Object.fromEntries(entries) as InheritedNotifications
}

/** Returns the subscription with the user's own notification settings filled in where it has none. */
export function withInheritedNotifications<Subscribed extends Readonly<Notifications>>(
  subscription: Subscribed,
  inherited: Readonly<InheritedNotifications>,
): Subscribed {
  const set = inheritedNames.map((name) => [name, subscription[name] ?? inherited[name]])
  return { ...subscription, ...Object.fromEntries(set) }
}

const unset = Object.fromEntries(notificationNames.map((name) => [name, null])) as Notifications

/** Returns all notification settings of a subscription. Settings that were never changed are null. */
export function readNotifications(changed: string): Notifications {
  return changed === '{}' ? unset : { ...unset, ...(JSON.parse(changed) as Partial<Notifications>) }
}

const notificationFields = Object.fromEntries(
  notificationNames.map((name) => [name, z.boolean().nullable()]),
) as Record<NotificationName, z.ZodNullable<z.ZodBoolean>>

/** A channel together with the user's subscription to it, as the user receives it. */
export const subscriptionFields = {
  ...channelFields,
  color: z.string(),
  is_muted: z.boolean(),
  in_home_view: z.boolean().describe('The opposite of is_muted.'),
  pin_to_top: z.boolean(),
  ...notificationFields,
  subscribers: z.array(z.int()).optional().describe('The ids of all active subscribers.'),
}

export type SubscriptionJson = ChannelJson &
  Notifications & {
    color: string
    is_muted: boolean
    in_home_view: boolean
    pin_to_top: boolean
    subscribers?: number[]
  }

export function toSubscriptionJson(
  subscription: Omit<Subscription, 'userId'>,
  channel: ChannelJson,
  subscribers?: number[],
): SubscriptionJson {
  return {
    ...channel,
    color: subscription.color,
    is_muted: subscription.isMuted,
    in_home_view: !subscription.isMuted,
    pin_to_top: subscription.isPinned,
    ...subscription.notifications,
    ...(subscribers && { subscribers }),
  }
}

/** The default colors: distinct hues, dark enough to be readable on white. */
const palette = [
  '#5b8def',
  '#e07a5f',
  '#4fa37f',
  '#d99a1c',
  '#9d79bc',
  '#2f9e9a',
  '#d1495b',
  '#7a9a1f',
  '#c46fd6',
  '#4d9de0',
  '#b0643a',
  '#3ba55d',
  '#b5973a',
  '#7768ae',
  '#b56576',
  '#4c8fb8',
  '#7f9165',
  '#ef7d4f',
  '#6a8793',
  '#a6791f',
  '#7f86e8',
  '#c97b3d',
  '#4aa396',
  '#a877e6',
] as const

/**
 * Returns the color that a channel has until the user chooses another one. Channels that were created one after the
 * other have different colors.
 */
export function defaultColor(channelId: number): string {
  return palette[channelId % palette.length] as string
}

/**
 * Converts `#rgb` or `#rrggbb` to `#rrggbb` in lower case, the only format that clients can read. Returns null for all
 * other strings.
 */
export function toColor(text: string): string | null {
  const digits = /^#((?:[0-9a-f]{3}){1,2})$/i.exec(text)?.[1]?.toLowerCase()
  if (digits === undefined) return null
  return `#${digits.length === 3 ? digits.replace(/./g, '$&$&') : digits}`
}

/** A set of pairs of a user and a channel: every user with every channel. */
type UsersWithChannels = { userIds: number[]; channels: readonly Channel[] }

/** Groups the pairs, so that users who have the same channels are in one group. */
export function groupByChannels(pairs: readonly UserChannelPair[]): UsersWithChannels[] {
  const groups = new Map<string, UsersWithChannels>()
  for (const [userId, userPairs] of Map.groupBy(pairs, ({ user }) => user.id)) {
    const channels = userPairs.map(({ channel }) => channel)
    const key = channels.map((channel) => channel.id).join()
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { userIds: [userId], channels })
    else group.userIds.push(userId)
  }
  return [...groups.values()]
}

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
export function saveUnsubscribed(
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
  await lockRecipients(tx)
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
  await lockRecipients(tx)
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
