import type { UserSettingName } from '#people/user-settings.ts'
import { DEFAULT_LINE_HEIGHT, DEFAULT_TEXT_SIZE, LINE_HEIGHTS, TEXT_SIZES, Theme } from '../browser/appearance.ts'
import { ReadPolicy } from '../messages/mark-read.ts'
import { IconCount } from '../messages/unread.ts'
import { t } from '../text/t.ts'

const percent = (part: number): string => t('{part, number, percent}', { part })

/** Settings about the appearance of the client. */
export const APPEARANCE_SETTINGS = {
  color_scheme: {
    section: 'preferences',
    label: t('Theme'),
    keywords: t('dark mode, light mode, colors'),
    options: [
      { value: Theme.system, label: t('Match system') },
      { value: Theme.light, label: t('Light') },
      { value: Theme.dark, label: t('Dark') },
    ],
  },
  high_contrast_mode: { section: 'preferences', label: t('High contrast'), keywords: t('accessibility') },
  web_font_size_px: {
    section: 'preferences',
    label: t('Font size'),
    keywords: t('text size, zoom, accessibility'),
    options: TEXT_SIZES.map((value) => ({
      value,
      label: value === DEFAULT_TEXT_SIZE ? t('Browser default') : percent(value / DEFAULT_TEXT_SIZE),
    })),
    describe: (size: number) => percent(size / DEFAULT_TEXT_SIZE),
  },
  web_line_height_percent: {
    section: 'preferences',
    label: t('Line spacing'),
    options: LINE_HEIGHTS.map((value) => ({
      value,
      label: value === DEFAULT_LINE_HEIGHT ? t('Default') : percent(value / 100),
    })),
    describe: (lines: number) => percent(lines / 100),
  },
  fluid_layout_width: {
    section: 'preferences',
    label: t('Use the full window width for messages'),
  },
  web_animate_image_previews: {
    section: 'preferences',
    label: t('Play animated images'),
    keywords: t('GIF, animation, motion'),
    options: [
      { value: 'always', label: t('Always') },
      { value: 'on_hover', label: t('On hover or focus') },
      { value: 'never', label: t('Only in the viewer') },
    ],
  },
  emojiset: {
    section: 'preferences',
    label: t('Emoji style'),
    keywords: t('emoji theme, plain text'),
    options: [
      { value: 'google', label: t('Same on all devices') },
      { value: 'google-blob', label: t('This device’s emoji') },
      { value: 'text', label: t('Plain text (:thumbs_up:)') },
    ],
    describe: () => t('Same on all devices'),
  },
  user_list_style: {
    section: 'preferences',
    label: t('People list style'),
    options: [
      { value: 1, label: t('Compact') },
      { value: 2, label: t('Show status') },
      { value: 3, label: t('Show picture and status') },
    ],
  },
  twenty_four_hour_time: {
    section: 'preferences',
    label: t('Time format'),
    keywords: t('24-hour clock, AM, PM'),
    options: [
      { value: false, label: t('12-hour clock (5:00 PM)') },
      { value: true, label: t('24-hour clock (17:00)') },
    ],
  },
  web_suggest_update_timezone: {
    section: 'preferences',
    label: t('Ask me to update my time zone when I travel'),
    about: t('Parley asks when your computer’s time zone differs from your profile’s.'),
  },
}

/** The occasions on which a topic is followed or unmuted automatically, from most to least frequent. */
const OCCASIONS = [
  { value: 1, label: t('When I take part') },
  { value: 2, label: t('When I send a message') },
  { value: 3, label: t('When I start them') },
  { value: 4, label: t('Never') },
]

/** Settings about reading, writing, channels and topics. */
const CONVERSATION_SETTINGS = {
  web_home_view: {
    section: 'preferences',
    label: t('Home view'),
    about: t('Opens when you start Parley.'),
    keywords: t('default view, start page'),
    options: [
      { value: 'inbox', label: t('Inbox') },
      { value: 'recent_topics', label: t('Recent') },
      { value: 'all_messages', label: t('Combined feed') },
    ],
  },
  web_escape_navigates_to_home_view: { section: 'preferences', label: t('Escape key opens the home view') },
  web_channel_default_view: {
    section: 'preferences',
    label: t('Channel links open'),
    keywords: t('sidebar, channel feed'),
    options: [
      { value: 1, label: t('The latest topic') },
      { value: 4, label: t('The latest unread topic') },
      { value: 2, label: t('All messages in the channel') },
      { value: 3, label: t('List of topics') },
    ],
  },
  demote_inactive_streams: {
    section: 'preferences',
    label: t('Separate section for inactive channels'),
    keywords: t('sidebar, demote'),
    options: [
      { value: 1, label: t('Automatic') },
      { value: 2, label: t('Always') },
      { value: 3, label: t('Never') },
    ],
  },
  web_stream_unreads_count_display_policy: {
    section: 'preferences',
    label: t('Channel unread counts'),
    keywords: t('sidebar, badge'),
    options: [
      { value: 1, label: t('All channels') },
      { value: 2, label: t('Unmuted channels') },
      { value: 3, label: t('No channels') },
    ],
  },
  starred_message_counts: { section: 'preferences', label: t('Show the number of starred messages') },
  web_mark_read_on_scroll_policy: {
    section: 'preferences',
    label: t('Mark messages as read on scroll'),
    options: [
      { value: ReadPolicy.always, label: t('Always') },
      { value: ReadPolicy.conversations, label: t('Only in conversation views') },
      { value: ReadPolicy.never, label: t('Never') },
    ],
  },
  display_emoji_reaction_users: {
    section: 'preferences',
    label: t('Show who reacted'),
    about: t('Shows names instead of a count when only a few people have reacted.'),
    keywords: t('emoji reactions, names'),
  },
  enter_sends: { section: 'preferences', label: t('Press Enter to send'), about: t('Shift+Enter adds a new line.') },
  translate_emoticons: {
    section: 'preferences',
    label: t('Convert emoticons to emoji'),
    about: t('A :) in your messages becomes 🙂.'),
  },
  web_navigate_to_sent_message: {
    section: 'preferences',
    label: t('Go to the conversation after sending a message to it'),
  },
  enable_drafts_synchronization: {
    section: 'preferences',
    label: t('Synchronize drafts between devices'),
    about: t('Otherwise, drafts stay in the browser where you wrote them.'),
  },
  automatically_follow_topics_policy: {
    section: 'topics',
    label: t('Follow topics automatically'),
    options: OCCASIONS,
  },
  automatically_unmute_topics_in_muted_streams_policy: {
    section: 'topics',
    label: t('Unmute topics in muted channels automatically'),
    options: OCCASIONS,
  },
  automatically_follow_topics_where_mentioned: {
    section: 'topics',
    label: t('Follow topics in which I’m mentioned'),
  },
}

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
const NOTIFICATION_SETTINGS = {
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

/** Settings about what other people see. */
const PRIVACY_SETTINGS = {
  presence_enabled: {
    section: 'availability',
    label: t('Your availability'),
    keywords: t('presence, online, invisible'),
  },
  presence_hidden_until: { section: 'availability', label: t('Hide for a while…'), keywords: t('presence, invisible') },
  send_private_typing_notifications: {
    section: 'availability',
    label: t('Let recipients see when I’m typing direct messages'),
  },
  send_stream_typing_notifications: {
    section: 'availability',
    label: t('Let recipients see when I’m typing messages in channels'),
  },
  receives_typing_notifications: { section: 'availability', label: t('Show when others are typing') },
  send_read_receipts: {
    section: 'availability',
    label: t('Let others see when I’ve read messages'),
    keywords: t('read receipts'),
  },
  email_address_visibility: {
    section: 'account',
    label: t('Who can see my email address'),
    options: [
      { value: 1, label: t('Everyone') },
      { value: 2, label: t('Members') },
      { value: 5, label: t('Moderators and administrators') },
      { value: 3, label: t('Administrators') },
      { value: 4, label: t('Nobody') },
    ],
  },
  allow_private_data_export: {
    section: 'account',
    label: t('Allow my private data to be exported'),
    about: t('Administrators see your choice before your organization’s data is exported.'),
    keywords: t('consent'),
  },
}

/** The presentation of a personal setting. */
export type SettingText = {
  /** The section of the settings in which it is shown. */
  readonly section: string
  readonly label: string
  readonly about?: string
  /** The values to choose from; without them, the setting is on or off. */
  readonly options?: readonly { readonly value: string | number | boolean; readonly label: string }[]
  /** Returns the label of a value that is not among the options. */
  readonly describe?: (value: number) => string
  /** More words by which users can find the setting. */
  readonly keywords?: string
}

/** The personal settings that have a control. The test of the catalogue lists the others with reasons. */
export const PERSONAL_SETTINGS = {
  ...APPEARANCE_SETTINGS,
  ...CONVERSATION_SETTINGS,
  ...PRIVACY_SETTINGS,
  ...NOTIFICATION_SETTINGS,
} satisfies Partial<Record<UserSettingName, SettingText>>
