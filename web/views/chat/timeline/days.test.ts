import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayLabel, dayOf } from './days.ts'

const noon = Date.UTC(2030, 0, 5, 12) / 1000
const DAY = 86_400

test('only today and yesterday have special labels', () => {
  assert.match(dayLabel(noon, noon), /^Today, /)
  assert.match(dayLabel(noon - DAY, noon), /^Yesterday, /)
  assert.doesNotMatch(dayLabel(noon - 2 * DAY, noon), /day, .*day/i)
})

test('days have different keys', () => {
  assert.equal(dayOf(noon), dayOf(noon + 60))
  assert.notEqual(dayOf(noon), dayOf(noon + DAY))
})
