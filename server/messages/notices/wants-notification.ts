import type { Notifications } from '#channels/subscriptions/subscription.ts'
import { VisibilityPolicy } from '#channels/user-topics/user-topic.ts'
import type { UserSettings } from '#people/users/settings/settings.ts'
import { ANY_WILDCARD, Flag } from '../flags/flag.ts'

/**
 * A user's settings for notifications: the general settings, and the settings for the channel and topic of a message.
 */
export type NotificationPreferences = {
  settings: UserSettings
  /** Null for direct messages, and for channels that the user is not subscribed to. */
  subscription: { isMuted: boolean; notifications: Notifications } | null
  policy: VisibilityPolicy
}

/** A notification is an email, or a push notification to a browser without an open page. */
export type NotificationMedium = 'mail' | 'push'

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
