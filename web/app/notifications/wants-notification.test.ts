import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Message, TopicPolicy } from '../../messages/message.ts'
import { type NotificationSettings, wantsNotification } from './wants-notification.ts'

const settings = {
  enable_desktop_notifications: true,
  enable_sounds: false,
  enable_followed_topic_desktop_notifications: true,
  enable_followed_topic_audible_notifications: false,
  enable_followed_topic_wildcard_mentions_notify: true,
  enable_stream_desktop_notifications: false,
  enable_stream_audible_notifications: false,
  wildcard_mentions_notify: true,
}

const channel = {
  stream_id: 5,
  is_muted: false,
  desktop_notifications: null,
  audible_notifications: null,
  wildcard_mentions_notify: null,
}

function settingsOf(
  own: object = {},
  inChannel: object = {},
  policy: number = TopicPolicy.inherit,
): NotificationSettings {
  return {
    user_settings: { ...settings, ...own },
    subscriptions: [{ ...channel, ...inChannel }],
    user_topics: policy === TopicPolicy.inherit ? [] : [{ stream_id: 5, topic_name: 'Tea', visibility_policy: policy }],
  } as unknown as NotificationSettings
}

const inTopic = (...flags: string[]) => ({ stream_id: 5, subject: 'tea', flags }) as unknown as Message
const direct = (...flags: string[]) => ({ flags }) as unknown as Message

const cases: readonly [title: string, expected: boolean, message: Message, settings: NotificationSettings][] = [
  ['a direct message', true, direct(), settingsOf()],
  ['a direct message that is already read, such as from a muted user', false, direct('read'), settingsOf()],
  ['a direct message if they are off', false, direct(), settingsOf({ enable_desktop_notifications: false })],
  ['a message in a channel', false, inTopic(), settingsOf()],
  ['a message in channels if all are on', true, inTopic(), settingsOf({ enable_stream_desktop_notifications: true })],
  ['a message in a channel of which one wants all', true, inTopic(), settingsOf({}, { desktop_notifications: true })],
  [
    'a message in a channel of which one wants none',
    false,
    inTopic(),
    settingsOf({ enable_stream_desktop_notifications: true }, { desktop_notifications: false }),
  ],
  [
    'a message in a muted channel',
    false,
    inTopic(),
    settingsOf({ enable_stream_desktop_notifications: true }, { is_muted: true }),
  ],
  [
    'a message in a topic of it that is not',
    true,
    inTopic(),
    settingsOf({ enable_stream_desktop_notifications: true }, { is_muted: true }, TopicPolicy.unmuted),
  ],
  [
    'a message in a muted topic',
    false,
    inTopic(),
    settingsOf({ enable_stream_desktop_notifications: true }, {}, TopicPolicy.muted),
  ],
  ['a message in a topic that one follows', true, inTopic(), settingsOf({}, { is_muted: true }, TopicPolicy.followed)],
  ['a mention in a muted channel', true, inTopic('mentioned'), settingsOf({}, { is_muted: true })],
  ['a mention in a channel that one is not in', true, inTopic('mentioned'), { ...settingsOf(), subscriptions: [] }],
  ['an alert word', true, inTopic('has_alert_word'), settingsOf()],
  [
    'an alert word if mentions are off',
    false,
    inTopic('has_alert_word'),
    settingsOf({ enable_desktop_notifications: false }),
  ],
  ['an alert word in a muted channel', false, inTopic('has_alert_word'), settingsOf({}, { is_muted: true })],
  ['an alert word in a muted topic', false, inTopic('has_alert_word'), settingsOf({}, {}, TopicPolicy.muted)],
  ['a mention of everybody', true, inTopic('stream_wildcard_mentioned'), settingsOf()],
  ['one if mentions are off', false, inTopic('wildcard_mentioned'), settingsOf({ wildcard_mentions_notify: false })],
  [
    'one in a channel where it does not count',
    false,
    inTopic('wildcard_mentioned'),
    settingsOf({}, { wildcard_mentions_notify: false }),
  ],
  [
    'one in a followed topic of a muted channel',
    true,
    inTopic('topic_wildcard_mentioned'),
    settingsOf({ enable_followed_topic_desktop_notifications: false }, { is_muted: true }, TopicPolicy.followed),
  ],
  [
    'a mention of everybody in a channel that one is not in',
    false,
    inTopic('wildcard_mentioned'),
    { ...settingsOf(), subscriptions: [] },
  ],
]

for (const [title, expected, message, given] of cases)
  test(`${title} is ${expected ? '' : 'not '}shown`, () =>
    assert.equal(wantsNotification('desktop', message, given), expected))

test('sounds have their own settings', () => {
  const all = { enable_sounds: true, enable_stream_audible_notifications: true }

  assert.deepEqual(
    [direct(), inTopic()].map((message) => [
      wantsNotification('audible', message, settingsOf()),
      wantsNotification('audible', message, settingsOf(all)),
      wantsNotification('audible', message, settingsOf(all, { audible_notifications: false })),
    ]),
    [
      [false, true, true],
      [false, true, false],
    ],
  )
})
