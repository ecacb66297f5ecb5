import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endMoment } from './end-moment.ts'

test('an end is named by the clock today, and with the day later', () => {
  const at = (day: number, hour: number) => new Date(2026, 0, day, hour).getTime() / 1000
  const now = at(5, 12)

  assert.match(endMoment(at(5, 15), now), /^(?:3:00\sPM|15:00)$/)
  assert.match(endMoment(at(6, 9), now), /^tomorrow at (?:9:00\sAM|09:00)$/)
  assert.match(endMoment(at(9, 9), now), /^Friday at (?:9:00\sAM|09:00)$/)
  assert.match(endMoment(at(20, 9), now), /^(?:January 20|20 January) at (?:9:00\sAM|09:00)$/)
})
