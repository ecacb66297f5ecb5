import { IconCount } from '../../../store/messages/icon-count.ts'
import { t } from '../../../text/t.ts'

const section = 'notifications'

const MESSAGES = t('Direct messages and mentions')
const FOLLOWED = t('Followed topics')
const OTHERS = t('All other channel messages')

const DESKTOP = t('Desktop')
const SOUND = t('Sound')
const PUSH = t('Push')
const EMAIL = t('Email')

const cell = (messages: string, medium: string) => ({ section, label: `${messages}: ${medium}` })

/** Settings about notifications, with the labels of their controls. */
export const NOTIFICATION_SETTINGS = {
  enable_desktop_notifications: cell(MESSAGES, DESKTOP),
  enable_sounds: cell(MESSAGES, SOUND),
  enable_offline_push_notifications: cell(MESSAGES, PUSH),
  enable_offline_email_notifications: cell(MESSAGES, EMAIL),
  enable_followed_topic_desktop_notifications: cell(FOLLOWED, DESKTOP),
  enable_followed_topic_audible_notifications: cell(FOLLOWED, SOUND),
  enable_followed_topic_push_notifications: cell(FOLLOWED, PUSH),
  enable_followed_topic_email_notifications: cell(FOLLOWED, EMAIL),
  enable_stream_desktop_notifications: cell(OTHERS, DESKTOP),
  enable_stream_audible_notifications: cell(OTHERS, SOUND),
  enable_stream_push_notifications: cell(OTHERS, PUSH),
  enable_stream_email_notifications: cell(OTHERS, EMAIL),
  wildcard_mentions_notify: { section, label: t('Notify me about @all mentions') },
  enable_followed_topic_wildcard_mentions_notify: {
    section,
    label: t('Always notify me about @all in followed topics'),
  },
  enable_online_push_notifications: { section, label: t('Send push notifications even when I’m active elsewhere') },
  pm_content_in_desktop_notifications: {
    section,
    label: t('Include the content of direct messages in desktop notifications'),
  },
  message_content_in_email_notifications: { section, label: t('Include message content in emails') },
  enable_digest_emails: {
    section,
    label: t('Email me weekly digests'),
    about: t(
      'After five days without visiting, you get the busiest conversations and new channels, if your organization sends digests.',
    ),
  },
  enable_login_emails: { section, label: t('Email me about logins from new browsers') },
  email_notifications_batching_period_seconds: {
    section,
    label: t('Delay before sending emails'),
    options: [
      { value: 30, label: t('30 seconds') },
      { value: 120, label: t('2 minutes') },
      { value: 300, label: t('5 minutes') },
      { value: 600, label: t('10 minutes') },
      { value: 1800, label: t('30 minutes') },
      { value: 3600, label: t('1 hour') },
      { value: 21_600, label: t('6 hours') },
      { value: 86_400, label: t('1 day') },
    ],
    describe: (seconds: number) => t('{seconds, plural, one {# second} other {# seconds}}', { seconds }),
  },
  realm_name_in_email_notifications_policy: {
    section,
    label: t('Organization name in the subject of emails'),
    options: [
      { value: 1, label: t('Automatic') },
      { value: 2, label: t('Always') },
      { value: 3, label: t('Never') },
    ],
  },
  desktop_icon_count_display: {
    section,
    label: t('Unread count in the tab title'),
    options: [
      { value: IconCount.all, label: t('All unread messages') },
      { value: IconCount.directMentionsFollowed, label: t('Direct messages, mentions and followed topics') },
      { value: IconCount.directMentions, label: t('Direct messages and mentions') },
      { value: IconCount.nothing, label: t('None') },
    ],
  },
  notification_sound: { section, label: t('Notification sound') },
  do_not_disturb_until: { section, label: t('Do not disturb'), keywords: t('pause, snooze, mute') },
}
