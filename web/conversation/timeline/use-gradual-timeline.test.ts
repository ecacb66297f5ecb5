import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextRange, nextStep } from './use-gradual-timeline.ts'

const messages = Array.from({ length: 100 }, (_, at) => ({ id: 1000 + at }))

test('a timeline first renders the messages at its end, or around its opening position', () => {
  const [atEnd, inBetween] = [nextRange(messages, null, null, 4), nextRange(messages, null, 1050, 4)]

  assert.equal(atEnd.end, 100)
  assert.ok(atEnd.start > 70 && atEnd.start < 95)
  assert.ok(inBetween.start < 50 && inBetween.end > 55 && inBetween.end - inBetween.start < 40)
})

test('a frame adds fewer messages after a slow one, and more after a fast one', () => {
  assert.deepEqual(
    [nextStep(8, 16), nextStep(8, 6), nextStep(8, 0), nextStep(16, 1), nextStep(8, 500)],
    [4, 10, 16, 16, 4],
  )
})

test('the rendered range grows at both ends until it holds all messages', () => {
  const first = { firstId: 1040, lastId: 1059 }
  const grown = nextRange(messages, first, null, 8)

  let range = grown
  let turns = 1
  while (range.start > 0 || range.end < messages.length) {
    range = nextRange(messages, { firstId: 1000 + range.start, lastId: 999 + range.end }, null, 8)
    turns += 1
  }

  assert.ok(grown.start < 40 && grown.start > 20)
  assert.ok(grown.end > 60 && grown.end < 80)
  assert.ok(turns > 3)
})

test('the range stays where it is when messages at its ends are dropped or others take their place', () => {
  const kept = messages.slice(30)
  const others = Array.from({ length: 50 }, (_, at) => ({ id: 5000 + at }))

  assert.equal(nextRange(kept, { firstId: 1010, lastId: 1040 }, null, 8).start, 0)
  assert.ok(nextRange(kept, { firstId: 1010, lastId: 1040 }, null, 8).end > 11)
  assert.equal(nextRange(others, { firstId: 1010, lastId: 1040 }, null, 8).end, 50)
})
