import type { Notifications } from '../../subscriptions/subscription.ts'
import { VisibilityPolicy } from '../../user-topics/user-topic.ts'
import type { UserSettings } from '../../users/settings/settings.ts'
import { ANY_WILDCARD, Flag } from '../flags/flag.ts'

/** What somebody has set about mail, for all they receive and for where a message stands. */
export type MailWishes = {
  settings: UserSettings
  /** Null for direct messages, and in channels that they are not subscribed to. */
  subscription: { isMuted: boolean; notifications: Notifications } | null
  policy: VisibilityPolicy
}

/** Whether somebody wants a mail about a message that they missed; `flags` are theirs on it. */
export function wantsMail(wishes: MailWishes, flags: number, isDirect: boolean): boolean {
  if (flags & Flag.read) return false
  const { settings } = wishes
  if ((isDirect || flags & Flag.mentioned) && settings.enable_offline_email_notifications) return true
  if (isDirect || wishes.subscription === null) return false
  const isWildcard = (flags & ANY_WILDCARD) !== 0 && settings.enable_offline_email_notifications
  return wantsFromTopic(wishes, isWildcard) || wantsFromChannel(wishes, wishes.subscription, isWildcard)
}

function wantsFromTopic({ settings, policy }: MailWishes, isWildcard: boolean): boolean {
  if (policy !== VisibilityPolicy.followed) return false
  return (
    settings.enable_followed_topic_email_notifications ||
    (isWildcard && settings.enable_followed_topic_wildcard_mentions_notify)
  )
}

function wantsFromChannel(
  { settings, policy }: MailWishes,
  { isMuted, notifications }: NonNullable<MailWishes['subscription']>,
  isWildcard: boolean,
): boolean {
  if (isMuted ? policy !== VisibilityPolicy.unmuted : policy === VisibilityPolicy.muted) return false
  if (isWildcard && (notifications.wildcard_mentions_notify ?? settings.wildcard_mentions_notify)) return true
  return notifications.email_notifications ?? settings.enable_stream_email_notifications
}
