import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayLabel, dayOf } from './moments.ts'

const noon = new Date(2030, 0, 5, 12).getTime() / 1000
const DAY = 86_400

test('only today and yesterday have special labels', () => {
  assert.match(dayLabel(noon, noon), /^Today$/)
  assert.match(dayLabel(noon - DAY, noon), /^Yesterday$/)
  assert.match(dayLabel(noon - 2 * DAY, noon), /Thursday/)
  assert.doesNotMatch(dayLabel(noon - 2 * DAY, noon), /20/)
  assert.match(dayLabel(noon - 9 * DAY, noon), /2029/)
})

test('days have different keys', () => {
  assert.equal(dayOf(noon), dayOf(noon + 60))
  assert.notEqual(dayOf(noon), dayOf(noon + DAY))
})
