import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relativeTime } from './moments.ts'

const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute).getTime() / 1000

test('a time is relative to now, with days by the calendar', () => {
  const wednesday = at(25, 7)
  assert.equal(relativeTime(at(23, 22), wednesday), '2 days ago')
  assert.equal(relativeTime(at(24, 6), wednesday), 'yesterday')
  assert.equal(relativeTime(at(24, 8), wednesday), '23 hours ago')
  assert.equal(relativeTime(at(26, 23), wednesday), 'tomorrow')
  assert.equal(relativeTime(at(27, 8), wednesday), 'in 2 days')
  assert.equal(relativeTime(at(25, 6, 58), wednesday), '2 minutes ago')
  assert.equal(relativeTime(wednesday, wednesday), 'just now')
  assert.equal(relativeTime(wednesday + 30, wednesday), 'in less than a minute')
})
