import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Organization, setOrganization } from '../store/organization.ts'
import { TopicPolicy } from './message.ts'
import type { ConversationRef } from './narrow.ts'
import {
  conversationKey,
  countUnread,
  isTopicMuted,
  NOTHING_UNREAD,
  readUnread,
  withMention,
  withMoved,
  withoutUnread,
  withUnread,
} from './unread.ts'

const OWN = 7
const tea: ConversationRef = { kind: 'topic', channelId: 1, topic: 'Tea' }
const cake: ConversationRef = { kind: 'topic', channelId: 2, topic: 'cake' }
const ben: ConversationRef = { kind: 'direct', people: [9] }

const registered = {
  count: 6,
  pms: [{ other_user_id: 9, sender_id: 9, unread_message_ids: [4] }],
  streams: [{ stream_id: 1, topic: 'Tea', unread_message_ids: [1, 2] }],
  huddles: [{ user_ids_string: '3,7,9', unread_message_ids: [5] }],
  mentions: [2],
  old_unreads_missing: false,
}

const idsAt = (unread: ReturnType<typeof readUnread>, conversation: ConversationRef) =>
  unread.conversations.get(conversationKey(conversation))?.ids
const everywhere = () => true
const nowhere = () => false

test('the state of register is grouped by conversation, ignoring the case of topics', () => {
  const unread = readUnread(registered, OWN)

  assert.deepEqual(idsAt(unread, { ...tea, topic: 'TEA' }), [1, 2])
  assert.deepEqual(idsAt(unread, ben), [4])
  assert.deepEqual(idsAt(unread, { kind: 'direct', people: [3, 9] }), [5])
})

test('notes to self are a conversation of the user alone', () => {
  const notes = { ...registered, pms: [{ other_user_id: OWN, sender_id: OWN, unread_message_ids: [8] }] }

  assert.deepEqual(idsAt(readUnread(notes, OWN), { kind: 'direct', people: [OWN] }), [8])
})

test('new unread messages are added once, in the order of ids', () => {
  const once = withUnread(withUnread(readUnread(registered, OWN), 9, tea, false), 3, tea, true)
  const twice = withUnread(once, 3, tea, true)

  assert.deepEqual(idsAt(twice, tea), [1, 2, 3, 9])
  assert.deepEqual([...twice.mentions], [2, 3])
})

test('read messages are removed, with their mention and empty conversations', () => {
  const unread = withoutUnread(readUnread(registered, OWN), [1, 2, 77])

  assert.equal(unread.conversations.has(conversationKey(tea)), false)
  assert.equal(unread.mentions.size, 0)
  assert.equal(withoutUnread(unread, [77]), unread)
})

test('moved unread messages stay unread, read ones stay read', () => {
  const unread = withMoved(readUnread(registered, OWN), [2, 66], () => cake)

  assert.deepEqual([idsAt(unread, tea), idsAt(unread, cake)], [[1], [2]])
  assert.deepEqual([...unread.mentions], [2])
})

test('an edit can add or remove a mention', () => {
  const unread = readUnread(registered, OWN)

  assert.deepEqual([...withMention(unread, 1, true).mentions], [2, 1])
  assert.deepEqual([...withMention(unread, 2, false).mentions], [])
  assert.deepEqual([...withMention(unread, 66, true).mentions], [2])
})

test('counts add up; muted messages count only as mentions, and unsubscribed channels not at all', () => {
  const unread = withUnread(readUnread(registered, OWN), 6, cake, false)

  assert.deepEqual(countUnread(unread, everywhere, nowhere).all, { messages: 5, mentions: 1 })
  assert.deepEqual(countUnread(unread, everywhere, (id) => id === 1).all, { messages: 4, mentions: 1 })
  assert.deepEqual(
    countUnread(unread, everywhere, (id) => id === 1).byConversation.get(conversationKey(tea))?.messages,
    2,
  )
  assert.deepEqual(
    countUnread(unread, (id) => id !== 2, nowhere).channels,
    new Map([[1, { messages: 2, mentions: 1 }]]),
  )
  assert.deepEqual(countUnread(NOTHING_UNREAD, everywhere, nowhere).all, { messages: 0, mentions: 0 })
})

test('counts that stay the same are the same objects, so that components recognize them', () => {
  const isIn = everywhere
  const before = countUnread(readUnread(registered, OWN), isIn, nowhere)

  const after = countUnread(withUnread(readUnread(registered, OWN), 6, cake, false), isIn, nowhere, before)

  assert.equal(after.byConversation.get(conversationKey(ben)), before.byConversation.get(conversationKey(ben)))
  assert.equal(after.channels.get(1), before.channels.get(1))
  assert.deepEqual(after.channels.get(2), { messages: 1, mentions: 0 })
  assert.notEqual(after.all, before.all)
})

test('a topic is muted by itself or with its channel, whatever its case', () => {
  setOrganization({
    subscriptions: [
      { stream_id: 1, is_muted: true },
      { stream_id: 2, is_muted: false },
    ],
    user_topics: [
      { stream_id: 1, topic_name: 'Tea', visibility_policy: TopicPolicy.unmuted },
      { stream_id: 2, topic_name: 'Cake', visibility_policy: TopicPolicy.muted },
    ],
  } as unknown as Organization)

  const isMuted = isTopicMuted.get()

  assert.deepEqual([isMuted(1, 'tea'), isMuted(1, 'rain')], [false, true])
  assert.deepEqual([isMuted(2, 'cake'), isMuted(2, 'rain')], [true, false])
})
