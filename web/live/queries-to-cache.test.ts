import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import type { Message } from '../messages/message.ts'
import type { Timeline } from '../messages/timeline.ts'
import { NOTHING_UNREAD } from '../messages/unread.ts'
import { type Organization, setOrganization } from '../store/organization.ts'
import { queryClient } from '../store/query-client.ts'
import { loadView } from './state.ts'
import { queriesToCache, shortened } from './write-cache.ts'

/**
 * Returns a timeline of `count` messages, whose ids start at 1. The messages from the id `firstUnread` on are unread.
 */
const timelineOf = (count: number, firstUnread: number, hasNewest = true): Timeline => ({
  messages: Array.from(
    { length: count },
    (_, at) => ({ id: at + 1, flags: at + 1 < firstUnread ? ['read'] : [] }) as Partial<Message> as Message,
  ),
  hasOldest: true,
  hasNewest,
})

const range = ({ messages, hasOldest }: Timeline) => [messages[0]?.id, messages.at(-1)?.id, hasOldest]

test('of a long timeline, the newest hundred messages are kept', () => {
  assert.deepEqual(range(shortened(timelineOf(250, 999))), [151, 250, false])
  assert.deepEqual(range(shortened(timelineOf(250, 249))), [151, 250, false])
})

test('the first unread message is kept with some before it', () => {
  assert.deepEqual(range(shortened(timelineOf(250, 61))), [41, 250, false])
  assert.deepEqual(range(shortened(timelineOf(250, 5))), [1, 250, true])
})

test('short timelines, and those that do not reach the newest message, are kept whole', () => {
  assert.deepEqual(range(shortened(timelineOf(100, 999))), [1, 100, true])
  assert.deepEqual(range(shortened(timelineOf(250, 999, false))), [1, 250, true])
})

test('of channels, only those to which the user is subscribed are kept', () => {
  setOrganization({ subscriptions: [{ stream_id: 1 }] } as Partial<Organization> as Organization)
  const client = new QueryClient()
  const keysOf = (channelId: number) => [
    ['messages', { kind: 'channel', channelId }, 'newest'],
    ['messages', { kind: 'topic', channelId, topic: 'tea' }, 'newest'],
    ['topics', channelId],
  ]
  const others = [
    ['messages', { kind: 'combined' }, 'newest'],
    ['messages', { kind: 'direct', people: [2] }, 'newest'],
  ]
  for (const key of [...keysOf(1), ...keysOf(2), ...others]) client.setQueryData(key, timelineOf(1, 1))
  const kept = queriesToCache(client).map(({ toQuery }) => toQuery().key)
  assert.deepEqual(new Set(kept), new Set([...keysOf(1), ...others]))
})

test('cached lists of topics are loaded again by the next page, and stay cached until then', () => {
  const organization = { subscriptions: [{ stream_id: 1 }] } as Partial<Organization> as Organization
  const state = { organization, unread: NOTHING_UNREAD, directConversations: [] }
  const queries = [
    { key: ['topics', 1], data: [{ name: 'tea', max_id: 6 }] },
    { key: ['messages', { kind: 'channel', channelId: 1 }, 'newest'], data: timelineOf(1, 1) },
  ]

  loadView({ position: { queueId: 'a', lastEventId: 0 }, asOf: 0, state, queries })

  const isLoadedAgain = (key: unknown[]) => queryClient.getQueryState(key)?.isInvalidated
  assert.deepEqual(
    queries.map(({ key }) => isLoadedAgain(key)),
    [true, false],
  )
  assert.equal(queriesToCache(queryClient).length, 2)
})
