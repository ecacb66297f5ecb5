import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Unread } from '../messages/unread.ts'
import { firstTopic, firstUnreadTopic, isTopicOfBots } from './first-topic.ts'

const [ada, bot] = [7, 1]
const among =
  (...names: string[]) =>
  (topic: string) =>
    names.includes(topic)
const nothing = among()

test('the first topic is the latest in which people write and that is not muted', () => {
  const first = (topics: string[], muted: string[], ofBots: string[]) =>
    firstTopic(topics, { isMuted: among(...muted), isOfBots: among(...ofBots) })

  assert.equal(first(['channel events', 'icons', 'logo'], [], ['channel events']), 'icons')
  assert.equal(first(['channel events', 'icons', 'logo'], ['icons'], ['channel events']), 'logo')
  assert.equal(first(['icons', 'channel events'], ['icons'], ['channel events']), 'channel events')
  assert.equal(first(['icons', 'logo'], ['icons', 'logo'], []), 'icons')
  assert.equal(first([], [], []), null)
})

test('the first unread topic is the latest one, and a topic of the bots only if no other is unread', () => {
  const unread = (...topics: [number, string, number[]][]): Unread =>
    ({
      conversations: new Map(
        topics.map(([channelId, topic, ids]) => [
          `${channelId} ${topic}`,
          { conversation: { kind: 'topic', channelId, topic }, ids },
        ]),
      ),
    }) as unknown as Unread
  const all = unread([1, 'icons', [4, 9]], [1, 'logo', [8]], [2, 'slow start', [12]], [1, 'channel events', [11]])
  const isOfBots = among('channel events')

  assert.equal(firstUnreadTopic(all, 1, { isMuted: nothing, isOfBots }), 'icons')
  assert.equal(firstUnreadTopic(all, 1, { isMuted: among('icons'), isOfBots }), 'logo')
  assert.equal(firstUnreadTopic(all, 1, { isMuted: among('icons', 'logo'), isOfBots }), 'channel events')
  assert.equal(firstUnreadTopic(unread([1, 'icons', [4]]), 1, { isMuted: among('icons'), isOfBots }), null)
})

test('a topic is of the bots if only they wrote its messages, or by its name if none are at hand', () => {
  const isOfBots = (topic: string, ...messages: [number, string][]) =>
    isTopicOfBots(
      topic,
      messages.map(([sender_id, subject]) => ({ sender_id, subject })),
      [bot],
    )

  assert.equal(isOfBots('channel events'), true)
  assert.equal(isOfBots('icons'), false)
  assert.equal(isOfBots('channel events', [bot, 'channel events'], [ada, 'Channel events']), false)
  assert.equal(isOfBots('left', [bot, 'left'], [ada, 'icons']), true)
})
