import type { Notifications } from '../../channels/subscriptions/subscription.ts'
import { VisibilityPolicy } from '../../channels/user-topics/user-topic.ts'
import type { UserSettings } from '../../people/users/settings/settings.ts'
import { ANY_WILDCARD, Flag } from '../flags/flag.ts'

/** What somebody has set about being told, for all they receive and for where a message stands. */
export type NotificationSettings = {
  settings: UserSettings
  /** Null for direct messages, and in channels that they are not subscribed to. */
  subscription: { isMuted: boolean; notifications: Notifications } | null
  policy: VisibilityPolicy
}

/** How somebody is told of what they missed: by mail, or by a notice of a browser that has no page open. */
export type NotificationMedium = 'mail' | 'push'

const SETTINGS = {
  mail: {
    forOne: 'enable_offline_email_notifications',
    inFollowed: 'enable_followed_topic_email_notifications',
    inChannels: 'enable_stream_email_notifications',
    inChannel: 'email_notifications',
  },
  push: {
    forOne: 'enable_offline_push_notifications',
    inFollowed: 'enable_followed_topic_push_notifications',
    inChannels: 'enable_stream_push_notifications',
    inChannel: 'push_notifications',
  },
} as const

/** Whether somebody wants to be told of a message that they missed; `flags` are theirs on it. */
export function wantsNotification(
  medium: NotificationMedium,
  wishes: NotificationSettings,
  flags: number,
  isDirect: boolean,
): boolean {
  if (flags & Flag.read) return false
  const wantsOwn = wishes.settings[SETTINGS[medium].forOne]
  if ((isDirect || flags & Flag.mentioned) && wantsOwn) return true
  if (isDirect || wishes.subscription === null) return false
  const isWildcard = (flags & ANY_WILDCARD) !== 0 && wantsOwn
  return wantsFromTopic(medium, wishes, isWildcard) || wantsFromChannel(medium, wishes, wishes.subscription, isWildcard)
}

function wantsFromTopic(
  medium: NotificationMedium,
  { settings, policy }: NotificationSettings,
  isWildcard: boolean,
): boolean {
  if (policy !== VisibilityPolicy.followed) return false
  return (
    settings[SETTINGS[medium].inFollowed] || (isWildcard && settings.enable_followed_topic_wildcard_mentions_notify)
  )
}

function wantsFromChannel(
  medium: NotificationMedium,
  { settings, policy }: NotificationSettings,
  { isMuted, notifications }: NonNullable<NotificationSettings['subscription']>,
  isWildcard: boolean,
): boolean {
  if (isMuted ? policy !== VisibilityPolicy.unmuted : policy === VisibilityPolicy.muted) return false
  if (isWildcard && (notifications.wildcard_mentions_notify ?? settings.wildcard_mentions_notify)) return true
  const { inChannel, inChannels } = SETTINGS[medium]
  return notifications[inChannel] ?? settings[inChannels]
}
