import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLocalMinute, scheduleError, scheduleOptions, toLocalMinute } from './time-options.ts'

const at = (...parts: [number, number, number, number, number?]) => new Date(...parts).getTime() / 1000

test('the options are in an hour, this evening and the next mornings', () => {
  const wednesday = at(2026, 10, 25, 14, 30)

  assert.deepEqual(scheduleOptions(wednesday), [
    { name: 'In an hour', at: wednesday + 3600 },
    { name: 'This evening', at: at(2026, 10, 25, 18) },
    { name: 'Tomorrow morning', at: at(2026, 10, 26, 9) },
    { name: 'Monday morning', at: at(2026, 10, 30, 9) },
  ])
})

test('no past time is offered, and none twice', () => {
  const names = (now: number) => scheduleOptions(now).map(({ name }) => name)

  assert.deepEqual(names(at(2026, 10, 25, 17, 30)), ['In an hour', 'Tomorrow morning', 'Monday morning'])
  assert.deepEqual(names(at(2026, 10, 29, 17, 30)), ['In an hour', 'Tomorrow morning'])
  assert.deepEqual(scheduleOptions(at(2026, 10, 30, 8)).at(-1), { name: 'Next Monday morning', at: at(2026, 11, 7, 9) })
})

test("a minute is formatted and parsed in the user's time zone", () => {
  const minute = at(2026, 11, 31, 23, 59)

  assert.equal(toLocalMinute(minute + 30), '2026-12-31T23:59')
  assert.equal(readLocalMinute('2026-12-31T23:59'), minute)
  assert.equal(readLocalMinute(''), null)
})

test('a time is required and must be in the future', () => {
  assert.match(scheduleError(null, 100) ?? '', /date and time/)
  assert.match(scheduleError(100, 100) ?? '', /future/)
  assert.equal(scheduleError(101, 100), null)
})
