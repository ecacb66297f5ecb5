import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isResolutionChange } from '#rules/topics.ts'
import type { Message } from './message.ts'
import { conversationAt, siblingNarrowAt, withResolved } from './narrow.ts'

const inTopic = { id: 7, type: 'stream', stream_id: 5, subject: 'tea' } as Message
const direct = { id: 8, type: 'private', display_recipient: [{ id: 1 }, { id: 3 }] } as Message
const topic = { kind: 'topic', channelId: 5, topic: 'tea' } as const
const channel = { kind: 'channel', channelId: 5 } as const

test('a topic leads to its channel and back, at the same message', () => {
  assert.deepEqual(siblingNarrowAt(topic, inTopic, 1), { narrow: channel, near: 7 })
  assert.deepEqual(siblingNarrowAt(channel, inTopic, 1), { narrow: topic, near: 7 })
})

test("combined views lead to the message's conversation", () => {
  assert.deepEqual(siblingNarrowAt({ kind: 'combined' }, direct, 1), {
    narrow: { kind: 'direct', people: [3] },
    near: 8,
  })
  assert.deepEqual(conversationAt({ kind: 'starred' }, inTopic, 1), { narrow: topic, near: 7 })
  assert.deepEqual(conversationAt(topic, inTopic, 1), { narrow: topic, near: 7 })
})

test('direct messages have no channel, and no message leads nowhere', () => {
  assert.equal(siblingNarrowAt({ kind: 'direct', people: [3] }, direct, 1), null)
  assert.equal(conversationAt(topic, undefined, 1), null)
  assert.equal(siblingNarrowAt(null, undefined, 1), null)
})

test('the server recognizes that a topic of any length is resolved', () => {
  for (const topic of ['tea', 'x'.repeat(58), 'x'.repeat(59), '😀'.repeat(60)])
    assert.ok(isResolutionChange(topic, withResolved(topic, true)), topic)
})
