import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryClient } from '../store/query-client.ts'
import type { Message } from './message.ts'
import {
  addMessage,
  dropDistantPages,
  type Opening,
  refreshTimelines,
  removeMessages,
  timeline,
  updateMessages,
} from './messages.ts'
import type { Timeline } from './timeline.ts'
import { channelTopics } from './topics.ts'

test('a timeline at a message opens with a cached one of its narrow, but not with previews or the most relevant messages', () => {
  const narrow = { kind: 'channel', channelId: 1 } as const
  const message = { id: 7, flags: [] as string[] } as Partial<Message> as Message
  const known: Timeline = { messages: [message], hasOldest: false, hasNewest: true }
  const initial = () => (timeline(narrow, 7).initialData as () => Timeline | undefined)()
  queryClient.setQueryData(['messages', narrow, 'previews'], known)
  queryClient.setQueryData(['messages', narrow, 'relevance'], known)
  assert.equal(initial(), undefined)
  queryClient.setQueryData(['messages', narrow, 'newest'], known)
  assert.equal(initial(), known)
})

const channel = { kind: 'channel', channelId: 2 } as const

const range = (first: number, last: number, ends: Partial<Timeline> = {}): Timeline => ({
  messages: Array.from(
    { length: last - first + 1 },
    (_, at) => ({ id: first + at, flags: ['read'] }) as Partial<Message> as Message,
  ),
  hasOldest: false,
  hasNewest: false,
  ...ends,
})

const show = (opening: Opening, known: Timeline) => queryClient.setQueryData(['messages', channel, opening], known)
const shown = (opening: Opening) => queryClient.getQueryData<Timeline>(['messages', channel, opening])

test('a timeline that opens is kept if it reaches the message at which it was left, or else its opening position', () => {
  const isKept = (opening: Opening, earlier: number | 'end' | null, ends: Partial<Timeline> = {}) => {
    show(opening, range(10, 20, ends))
    dropDistantPages(channel, opening, earlier)
    return shown(opening) !== undefined
  }

  assert.deepEqual([isKept('newest', null), isKept('newest', null, { hasNewest: true })], [false, true])
  assert.deepEqual([isKept('newest', 15), isKept('newest', 30), isKept('newest', 'end')], [true, false, false])
  assert.deepEqual([isKept(12, null), isKept(30, null), isKept(30, 15)], [true, false, true])
  assert.deepEqual([isKept(30, null, { hasNewest: true }), isKept(30, 'end', { hasNewest: true })], [false, true])
})

test('a timeline that loses its last loaded message is loaded again, unless it was complete', () => {
  const isInvalidated = (known: Timeline) => {
    show('newest', known)
    removeMessages(({ id }) => id === 7)
    return queryClient.getQueryState(['messages', channel, 'newest'])?.isInvalidated
  }

  assert.equal(isInvalidated(range(7, 7, { hasNewest: true })), true)
  assert.equal(isInvalidated(range(7, 7, { hasOldest: true, hasNewest: true })), false)
  assert.equal(isInvalidated(range(6, 7, { hasNewest: true })), false)
})

test('a timeline that must be loaded again, because messages were moved into it, still must be after other changes', () => {
  show('newest', range(6, 7, { hasNewest: true }))
  refreshTimelines(() => true)

  updateMessages([6], (message) => ({ ...message, flags: [] }))
  addMessage({ id: 8, flags: [] as string[] } as Partial<Message> as Message, () => true)

  assert.deepEqual(
    shown('newest')?.messages.map(({ id }) => id),
    [6, 7, 8],
  )
  assert.equal(queryClient.getQueryState(['messages', channel, 'newest'])?.isInvalidated, true)
})

// Without a window, as here, queries are kept for ever, so the time itself cannot be tested.
test('conversations that the user has left stay at hand for an hour', () => {
  for (const { queryKey } of [timeline(channel, 'newest'), channelTopics(1)])
    assert.equal(queryClient.getQueryDefaults(queryKey).gcTime, 3_600_000)
  assert.equal(queryClient.getQueryDefaults(['sessions']).gcTime, undefined)
})
