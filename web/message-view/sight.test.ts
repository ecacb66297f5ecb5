import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readIn, SEEN_AFTER, type Sight, withoutFocus, withView } from './sight.ts'

const IDS = Array.from({ length: 100 }, (_, at) => at + 1)

/** Returns the sight after the messages `first` to `last`, all of them unread, are in view. */
function seeing(before: Sight | null, first: number, last: number, now: number, ids = IDS): Sight {
  const unread = ids.filter((id) => first <= id && id <= last)
  return withView(before, { first, last, unread }, ids, now)
}

const range = (first: number, last: number) => IDS.slice(first - 1, last)

test('a message counts as read after it has been in view for a time without a break', () => {
  const opened = seeing(null, 10, 14, 0)
  const scrolled = seeing(opened, 8, 12, 100)
  const back = seeing(scrolled, 10, 14, 200)

  assert.deepEqual(readIn(opened, IDS, SEEN_AFTER - 1), [])
  assert.deepEqual(readIn(opened, IDS, SEEN_AFTER), range(10, 14))
  assert.deepEqual(readIn(back, [10, 11, 12, 13, 14], SEEN_AFTER), [10, 11, 12])
})

test('messages that the user scrolls past count as read, however fast', () => {
  const end = [10, 15, 20, 25].reduce<Sight | null>((sight, first, at) => seeing(sight, first, first + 4, at), null)

  assert.deepEqual(readIn(end!, IDS, 4), range(10, 24))
})

test('messages that a jump skips, and those that were in view only just before it, stay unread', () => {
  const opened = seeing(null, 10, 14, 0)
  const down = seeing(opened, 96, 100, 100)
  const up = seeing(opened, 1, 5, 100)
  const onward = seeing(down, 94, 98, 200)

  assert.deepEqual(readIn(down, IDS, 100 + SEEN_AFTER), range(96, 100))
  assert.deepEqual(readIn(up, IDS, 100 + SEEN_AFTER), range(1, 5))
  assert.deepEqual(readIn(onward, IDS, 100 + SEEN_AFTER), range(96, 98))
})

test('messages that move a timeline at its end stay unread unless they come into view', () => {
  const ids = range(1, 14)
  const opened = seeing(null, 10, 14, 0, ids)
  const one = seeing(opened, 11, 15, 1000, range(1, 15))
  const many = seeing(one, 36, 40, 2000, range(1, 40))

  assert.deepEqual(readIn(one, range(11, 15), 1000 + SEEN_AFTER), range(11, 15))
  assert.deepEqual(readIn(many, range(15, 40), 2000 + SEEN_AFTER), range(36, 40))
})

test('the time begins again after the window has lost the focus', () => {
  const opened = withoutFocus(seeing(null, 10, 14, 0))
  const back = seeing(opened, 10, 14, 1000)

  assert.deepEqual(readIn(opened, IDS, 1000), [])
  assert.deepEqual(readIn(back, IDS, 1000), [])
  assert.deepEqual(readIn(back, IDS, 1000 + SEEN_AFTER), range(10, 14))
})
