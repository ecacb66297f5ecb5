import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTimeFormat, setHourCycle, timeFormat } from './moments.ts'

test('formats follow the chosen hour cycle, even those that were made before', () => {
  const clock = timeFormat({ timeStyle: 'short', timeZone: 'UTC' })
  const evening = Date.UTC(2026, 2, 1, 17, 5)
  const shown = () => clock().format(evening).replaceAll('\u202f', ' ')

  setHourCycle(true)
  assert.match(shown(), /^17.05$/)
  setHourCycle(false)
  assert.match(shown(), /^5.05 \D+$/)
})

test('the hour of 12 hours has no leading zero, also in locales that write 24 hours with one', () => {
  const morning = Date.UTC(2026, 2, 1, 8, 7)
  const shown = (cycle: 'h12' | 'h23', options: Intl.DateTimeFormatOptions) =>
    makeTimeFormat('en-GB', { ...options, timeZone: 'UTC' }, cycle)
      .format(morning)
      .replaceAll('\u202f', ' ')

  assert.equal(shown('h12', { timeStyle: 'short' }), '8:07 am')
  assert.equal(shown('h12', { dateStyle: 'medium', timeStyle: 'short' }), '1 Mar 2026, 8:07 am')
  assert.equal(shown('h23', { timeStyle: 'short' }), '08:07')
})
