import { z } from 'zod'
import type { User } from '#people/users/user.ts'
import type { Channel } from '../channel.ts'
import { type ChannelJson, channelFields } from '../channel-json.ts'

/** A user's personal settings for a channel. They are kept when the user unsubscribes. */
export type Subscription = {
  userId: number
  channelId: number
  color: string
  isMuted: boolean
  isPinned: boolean
  notifications: Notifications
}

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

export type UserChannelPair = { user: User; channel: Channel }

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
