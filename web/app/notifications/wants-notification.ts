import { type Message, messageText, TopicPolicy } from '../../messages/message.ts'
import { isSameTopic, topicTitle } from '../../messages/narrow.ts'
import type { Organization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'

/** The user's notification settings, in general and for each channel and topic. */
export type NotificationSettings = Pick<Organization, 'user_settings' | 'subscriptions' | 'user_topics'>

type Medium = 'desktop' | 'audible'

const SETTINGS = {
  desktop: {
    forOne: 'enable_desktop_notifications',
    inFollowed: 'enable_followed_topic_desktop_notifications',
    inChannels: 'enable_stream_desktop_notifications',
    inChannel: 'desktop_notifications',
  },
  audible: {
    forOne: 'enable_sounds',
    inFollowed: 'enable_followed_topic_audible_notifications',
    inChannels: 'enable_stream_audible_notifications',
    inChannel: 'audible_notifications',
  },
} as const

const WILDCARDS = ['stream_wildcard_mentioned', 'topic_wildcard_mentioned', 'wildcard_mentioned']

/** Returns true if the user wants to be notified of another user's message by this medium. */
export function wantsNotification(medium: Medium, message: Message, settings: NotificationSettings): boolean {
  const { flags, stream_id } = message
  if (flags.includes('read')) return false
  const names = SETTINGS[medium]
  const { user_settings, subscriptions } = settings
  const wantsOwn = user_settings[names.forOne]
  if (stream_id === undefined || flags.includes('mentioned')) return wantsOwn
  const subscription = subscriptions.find((one) => one.stream_id === stream_id)
  if (subscription === undefined) return false

  const isWildcard = wantsOwn && flags.some((flag) => WILDCARDS.includes(flag))
  const policy = policyOf(message, settings)
  if (policy === TopicPolicy.followed) {
    if (user_settings[names.inFollowed]) return true
    if (isWildcard && user_settings.enable_followed_topic_wildcard_mentions_notify) return true
  }
  if (subscription.is_muted ? policy !== TopicPolicy.unmuted : policy === TopicPolicy.muted) return false
  if (wantsOwn && flags.includes('has_alert_word')) return true
  if (isWildcard && (subscription.wildcard_mentions_notify ?? user_settings.wildcard_mentions_notify)) return true
  return subscription[names.inChannel] ?? user_settings[names.inChannels]
}

function policyOf({ stream_id, subject }: Message, { user_topics }: NotificationSettings): number {
  const own = user_topics.find((one) => one.stream_id === stream_id && isSameTopic(one.topic_name, subject))
  return own?.visibility_policy ?? TopicPolicy.inherit
}

/** Returns the text of a notification; `hidesDirect` leaves out the content of direct messages. */
export function notificationText(
  message: Message,
  { ownId, hidesDirect }: { ownId: number; hidesDirect: boolean },
): { title: string; body: string } {
  const { sender_full_name: sender, display_recipient: conversation, subject } = message
  if (typeof conversation === 'string')
    return {
      title: t('{sender} in #{conversation} › {subject}', { sender, conversation, subject: topicTitle(subject) }),
      body: messageText(message),
    }
  const others = conversation.filter(({ id }) => id !== ownId && id !== message.sender_id).map((one) => one.full_name)
  const title = others.length === 0 ? sender : t('{sender}, to you and {others}', { sender, others: others.join(', ') })
  return { title, body: hidesDirect ? t('New direct message') : messageText(message) }
}
