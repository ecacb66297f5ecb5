import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endMoment } from './time-options.ts'

test('an end is named by the clock today, and with the day later', () => {
  const at = (day: number, hour: number) => new Date(2026, 0, day, hour).getTime() / 1000
  const until = (end: number) => endMoment(end, at(5, 12), (time) => `${new Date(time * 1000).getHours()}:00`)

  assert.equal(until(at(5, 15)), '15:00')
  assert.equal(until(at(6, 9)), 'tomorrow at 9:00')
  assert.equal(until(at(9, 9)), 'Friday at 9:00')
  assert.match(until(at(20, 9)), /^(?:January 20|20 January) at 9:00$/)
})
