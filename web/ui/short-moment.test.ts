import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortMoment } from './moments.ts'

const at = (...parts: [number, number, number, number, number]) => new Date(...parts).getTime() / 1000

test('a moment is shown by the clock, the day or the date, by its distance', () => {
  const now = at(2026, 10, 25, 9, 0)
  const format = (options: Intl.DateTimeFormatOptions, moment: number) =>
    new Intl.DateTimeFormat(undefined, options).format(moment * 1000)
  const [today, monday, october, lastYear] = [
    at(2026, 10, 25, 0, 1),
    at(2026, 10, 23, 23, 59),
    at(2026, 9, 1, 12, 0),
    at(2025, 11, 31, 12, 0),
  ]
  assert.equal(shortMoment(today, now), format({ timeStyle: 'short' }, today))
  assert.equal(shortMoment(monday, now), format({ weekday: 'short' }, monday))
  assert.equal(shortMoment(october, now), format({ day: 'numeric', month: 'short' }, october))
  assert.equal(shortMoment(lastYear, now), format({ day: 'numeric', month: 'short', year: 'numeric' }, lastYear))
  assert.equal(shortMoment(now + 60, now), format({ timeStyle: 'short' }, now + 60))
})
