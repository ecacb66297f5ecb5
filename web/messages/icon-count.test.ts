import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TopicPolicy } from './message.ts'
import { countUnread, IconCount, iconCount, NOTHING_UNREAD, withUnread } from './unread.ts'

const tea = { kind: 'topic', channelId: 1, topic: 'Tea' } as const
const cake = { kind: 'topic', channelId: 1, topic: 'cake' } as const
const left = { kind: 'topic', channelId: 2, topic: 'tea' } as const

const unread = [
  { id: 1, conversation: tea, mentions: false },
  { id: 2, conversation: tea, mentions: true },
  { id: 3, conversation: cake, mentions: false },
  { id: 4, conversation: cake, mentions: true },
  { id: 5, conversation: { kind: 'direct', people: [9] } as const, mentions: false },
  { id: 6, conversation: left, mentions: true },
].reduce((all, { id, conversation, mentions }) => withUnread(all, id, conversation, mentions), NOTHING_UNREAD)

const counts = countUnread(
  unread,
  (channelId) => channelId === 1,
  () => false,
)
const followed = [{ stream_id: 1, topic_name: 'tea', last_updated: 0, visibility_policy: TopicPolicy.followed }]

test('the count follows the setting, in subscribed channels', () => {
  const found = Object.entries(IconCount).map(([name, display]) => [name, iconCount(unread, counts, display, followed)])

  assert.deepEqual(Object.fromEntries(found), { all: 5, directMentionsFollowed: 4, directMentions: 3, nothing: 0 })
})
