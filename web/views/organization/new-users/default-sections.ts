import type { Defaults } from '../../../store/realm-queries.ts'
import { t } from '../../../text/t.ts'
import type { Option } from '../../../ui/fields/option.tsx'
import { APPEARANCE_SETTINGS } from '../../settings/catalogue/appearance.ts'

/** A default setting: a checkbox, or a choice if it has options. */
export type DefaultSetting = {
  name: keyof Defaults & string
  label: string
  options?: readonly Option<string | number>[]
}

/** Returns a setting with the label and the options that users see in their own settings. */
function optionsOf(name: 'web_font_size_px' | 'web_line_height_percent' | 'emojiset'): DefaultSetting {
  const { label, options } = APPEARANCE_SETTINGS[name]
  return { name, label, options: options.map(({ value, label }) => ({ id: value, label })) }
}

const AUTOMATIC = [
  { id: 1, label: t('When they take part') },
  { id: 2, label: t('When they send a message') },
  { id: 3, label: t('When they start them') },
  { id: 4, label: t('Never') },
]

/** The settings that administrators choose for new accounts, in the order of the page. */
export const DEFAULT_SECTIONS: readonly { id: string; title: string; fields: readonly DefaultSetting[] }[] = [
  {
    id: 'appearance',
    title: t('Appearance'),
    fields: [
      {
        name: 'color_scheme',
        label: t('Theme'),
        options: [
          { id: 1, label: t('Match system') },
          { id: 3, label: t('Light') },
          { id: 2, label: t('Dark') },
        ],
      },
      {
        name: 'web_home_view',
        label: t('Home view'),
        options: [
          { id: 'inbox', label: t('Inbox') },
          { id: 'recent_topics', label: t('Recent') },
          { id: 'all_messages', label: t('Combined feed') },
        ],
      },
      {
        name: 'twenty_four_hour_time',
        label: t('24-hour time'),
      },
      { name: 'high_contrast_mode', label: t('High contrast') },
      optionsOf('web_font_size_px'),
      optionsOf('web_line_height_percent'),
      optionsOf('emojiset'),
    ],
  },
  {
    id: 'reading',
    title: t('Reading and writing'),
    fields: [
      {
        name: 'web_mark_read_on_scroll_policy',
        label: t('Mark messages as read on scroll'),
        options: [
          { id: 1, label: t('Always') },
          { id: 2, label: t('Only in conversation views') },
          { id: 3, label: t('Never') },
        ],
      },
      { name: 'enter_sends', label: t('Press Enter to send') },
      { name: 'automatically_follow_topics_policy', label: t('Follow topics automatically'), options: AUTOMATIC },
      {
        name: 'automatically_unmute_topics_in_muted_streams_policy',
        label: t('Unmute topics in muted channels automatically'),
        options: AUTOMATIC,
      },
      { name: 'automatically_follow_topics_where_mentioned', label: t('Follow topics where the user is mentioned') },
    ],
  },
  {
    id: 'privacy',
    title: t('Privacy'),
    fields: [
      {
        name: 'email_address_visibility',
        label: t('Who can see the email address'),
        options: [
          { id: 1, label: t('Everyone') },
          { id: 2, label: t('Members') },
          { id: 5, label: t('Moderators and administrators') },
          { id: 3, label: t('Administrators') },
          { id: 4, label: t('Nobody') },
        ],
      },
      { name: 'presence_enabled', label: t('Show availability') },
      { name: 'send_read_receipts', label: t('Send read receipts') },
      { name: 'send_private_typing_notifications', label: t('Send typing notifications in direct messages') },
      { name: 'send_stream_typing_notifications', label: t('Send typing notifications in channels') },
    ],
  },
  {
    id: 'notifications',
    title: t('Notification settings'),
    fields: [
      { name: 'enable_desktop_notifications', label: t('Desktop notifications for direct messages and mentions') },
      { name: 'enable_sounds', label: t('Sound for direct messages and mentions') },
      { name: 'enable_offline_push_notifications', label: t('Push notifications for direct messages and mentions') },
      { name: 'enable_offline_email_notifications', label: t('Emails about direct messages and mentions') },
      {
        name: 'enable_followed_topic_desktop_notifications',
        label: t('Desktop notifications for followed topics'),
      },
      { name: 'enable_followed_topic_audible_notifications', label: t('Sound for followed topics') },
      { name: 'enable_followed_topic_push_notifications', label: t('Push notifications for followed topics') },
      { name: 'enable_followed_topic_email_notifications', label: t('Emails about followed topics') },
      { name: 'enable_stream_desktop_notifications', label: t('Desktop notifications for all channel messages') },
      { name: 'enable_stream_audible_notifications', label: t('Sound for all channel messages') },
      { name: 'enable_stream_push_notifications', label: t('Push notifications for all channel messages') },
      { name: 'enable_stream_email_notifications', label: t('Emails about all channel messages') },
      { name: 'wildcard_mentions_notify', label: t('Notify about @all mentions') },
      { name: 'message_content_in_email_notifications', label: t('Include message content in emails') },
    ],
  },
]
