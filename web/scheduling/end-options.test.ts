import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOptions } from './time-options.ts'

const idsAt = (day: number) => endOptions(new Date(2026, 0, day, 22).getTime() / 1000).map(({ id }) => id)

test('ends are in order and in the future, and Monday is offered once', () => {
  const now = new Date(2026, 0, 7, 22).getTime() / 1000
  const ends = endOptions(now).map(({ at }) => at)

  assert.deepEqual(ends.toSorted(), ends)
  assert.ok(ends.every((at) => at > now))
  assert.deepEqual(idsAt(7), ['half-hour', 'hour', 'four-hours', 'tomorrow', 'week'])
  assert.deepEqual(idsAt(11), ['half-hour', 'hour', 'four-hours', 'tomorrow'])
})
