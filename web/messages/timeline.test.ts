import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from './message.ts'
import {
  MAX_KEPT,
  type Timeline,
  trimmed,
  withArrived,
  withChanged,
  withNewer,
  withOlder,
  withSharedMessages,
} from './timeline.ts'

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)
const timelineOf = (ids: readonly number[], ends: Partial<Timeline> = {}): Timeline => ({
  messages: ids.map((id) => ({ id }) as Message),
  hasOldest: false,
  hasNewest: false,
  ...ends,
})
const idsOf = ({ messages }: Timeline) => messages.map(({ id }) => id)

test('pages are merged by id without duplicates', () => {
  const timeline = timelineOf([5, 6], { hasNewest: true })

  const older = withOlder(timeline, timelineOf([3, 4, 5], { hasOldest: true }), 5)
  const newer = withNewer(timeline, timelineOf([6, 7], { hasNewest: true }), 6)

  assert.deepEqual([idsOf(older), older.hasOldest, older.hasNewest], [[3, 4, 5, 6], true, true])
  assert.deepEqual([idsOf(newer), newer.hasOldest, newer.hasNewest], [[5, 6, 7], false, true])
})

test('a page that arrives after the messages next to it were dropped leaves no gap', () => {
  const [before, after] = [timelineOf(range(101, 110)), timelineOf(range(401, 410))]
  const timeline = timelineOf(range(111, 400))
  const [withoutOldest, withoutNewest] = [trimmed(timeline, 'oldest', 8), trimmed(timeline, 'newest', 8)]

  assert.equal(withOlder(withoutOldest, before, 111), withoutOldest)
  assert.equal(withNewer(withoutNewest, after, 400), withoutNewest)
  assert.deepEqual(idsOf(withOlder(withoutNewest, before, 111)), range(101, 392))
})

test('excess messages are dropped in portions at one end, which is then incomplete', () => {
  const timeline = timelineOf(range(1, MAX_KEPT + 10), { hasOldest: true, hasNewest: true })

  const [older, newer] = [trimmed(timeline, 'newest', 4), trimmed(timeline, 'oldest', 40)]

  assert.deepEqual([idsOf(older).at(-1), older.hasOldest, older.hasNewest], [MAX_KEPT + 6, true, false])
  assert.deepEqual([idsOf(newer).at(0), newer.hasOldest, newer.hasNewest], [11, false, true])
  assert.equal(trimmed(newer, 'oldest', 40), newer)
})

test('a new message is added once, and only without a gap', () => {
  const arrived = { id: 9 } as Message

  assert.deepEqual(idsOf(withArrived(timelineOf([7], { hasNewest: true }), arrived)), [7, 9])
  assert.deepEqual(idsOf(withArrived(timelineOf([7, 9], { hasNewest: true }), arrived)), [7, 9])
  assert.deepEqual(idsOf(withArrived(timelineOf([7]), arrived)), [7])
})

test('changed messages leave the others, and timelines without them, as they are', () => {
  const timeline = timelineOf([5, 6, 7], { hasNewest: true })
  const star = (message: Message): Message => ({ ...message, flags: ['starred'] })

  const changed = withChanged(timeline, new Set([6, 9]), star)

  assert.deepEqual(changed.messages[1], { id: 6, flags: ['starred'] })
  assert.equal(changed.messages[0], timeline.messages[0])
  assert.equal(changed.messages[2], timeline.messages[2])
  assert.equal(timeline.messages[1]!.flags, undefined)
  assert.equal(withChanged(timeline, new Set([4, 8]), star), timeline)
  assert.equal(
    withChanged(timeline, new Set([6]), (message) => message),
    timeline,
  )
})

test('messages that are equal to earlier ones stay the same objects, at any position', () => {
  const withReactions = (ids: readonly number[]): Timeline => {
    const timeline = timelineOf(ids)
    return {
      ...timeline,
      messages: timeline.messages.map((message) => ({ ...message, flags: ['read'], reactions: [] })),
    }
  }
  const timeline = withReactions([5, 6])

  const shifted = withSharedMessages(timeline, withReactions([4, 5, 6, 7]))
  const edited = withSharedMessages(
    timeline,
    withChanged(timeline, new Set([5]), (one) => ({ ...one, content: 'tea' })),
  )

  assert.deepEqual(idsOf(shifted), [4, 5, 6, 7])
  assert.equal(shifted.messages[1], timeline.messages[0])
  assert.equal(shifted.messages[2], timeline.messages[1])
  assert.equal(edited.messages[0]!.content, 'tea')
  assert.equal(edited.messages[0]!.reactions, timeline.messages[0]!.reactions)
  assert.equal(edited.messages[1], timeline.messages[1])
  assert.equal(withSharedMessages(timeline, withReactions([5, 6])), timeline)
  assert.equal(withSharedMessages(timeline, { ...timeline, hasOldest: true }).hasOldest, true)
  assert.equal(withSharedMessages(undefined, timeline), timeline)
})
