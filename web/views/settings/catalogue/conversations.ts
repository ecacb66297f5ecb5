import { ReadPolicy } from '../../../store/messages/mark-read.ts'
import { t } from '../../../text/t.ts'

/** The occasions on which a topic is followed or unmuted automatically, from most to least frequent. */
const OCCASIONS = [
  { value: 1, label: t('When I take part') },
  { value: 2, label: t('When I send a message') },
  { value: 3, label: t('When I start them') },
  { value: 4, label: t('Never') },
]

/** Settings about reading, writing, channels and topics. */
export const CONVERSATION_SETTINGS = {
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
