import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recentConversations } from './conversations.ts'
import type { Message } from './message.ts'

const OWN = 1

const inTopic = (id: number, sender_id: number, subject: string) =>
  ({ id, sender_id, subject, type: 'stream', stream_id: 5, timestamp: id * 10 }) as Message
const toPerson = (id: number, sender_id: number, other: number) =>
  ({
    id,
    sender_id,
    type: 'private',
    timestamp: id * 10,
    display_recipient: [{ id: OWN }, { id: other }],
  }) as Message

test('conversations are sorted by newest message, with senders, latest first', () => {
  const messages = [inTopic(1, 7, 'Tea'), toPerson(2, 8, 8), inTopic(3, 9, 'tea'), inTopic(4, 7, 'rain')]

  assert.deepEqual(recentConversations([...messages, inTopic(5, 9, 'tea')], [], OWN), [
    { conversation: { kind: 'topic', channelId: 5, topic: 'tea' }, latestId: 5, at: 50, writers: [9, 7] },
    { conversation: { kind: 'topic', channelId: 5, topic: 'rain' }, latestId: 4, at: 40, writers: [7] },
    { conversation: { kind: 'direct', people: [8] }, latestId: 2, at: 20, writers: [8] },
  ])
})

test('conversations known only by their newest message are included once', () => {
  const others = [
    { conversation: { kind: 'direct', people: [6] } as const, latestId: 2 },
    { conversation: { kind: 'topic', channelId: 5, topic: 'TEA' } as const, latestId: 3 },
  ]

  assert.deepEqual(
    recentConversations([inTopic(1, 7, 'old'), inTopic(3, 7, 'tea')], others, OWN).map(({ latestId, at }) => [
      latestId,
      at,
    ]),
    [
      [3, 30],
      [2, null],
      [1, 10],
    ],
  )
})
