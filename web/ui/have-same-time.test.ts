import assert from 'node:assert/strict'
import { test } from 'node:test'
import { haveSameTime } from './moments.ts'

const now = Date.UTC(2026, 0, 15, 12)

test('time zones are the same if their clocks are the same in winter and in summer', () => {
  assert.equal(haveSameTime('Asia/Calcutta', 'Asia/Kolkata', now), true)
  assert.equal(haveSameTime('Europe/Berlin', 'Europe/Paris', now), true)
  assert.equal(haveSameTime('Europe/Berlin', 'Africa/Lagos', now), false)
  assert.equal(haveSameTime('Europe/Berlin', 'Europe/London', now), false)
})

test('an unknown time zone differs from none', () => {
  assert.equal(haveSameTime('Mars/Olympus', 'Europe/Berlin', now), true)
})
