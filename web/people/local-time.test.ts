import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hoursAhead, localTime } from './local-time.ts'

test('local time is shown for a known time zone, and none for an unknown one', () => {
  const noon = Date.UTC(2026, 0, 5, 12) / 1000

  assert.match(localTime('Asia/Kolkata', noon) ?? '', /5:30|17:30/)
  assert.equal(localTime('', noon), null)
  assert.equal(localTime('Nowhere/Land', noon), null)
})

test('a different day is named', () => {
  const noon = Date.UTC(2026, 0, 5, 12) / 1000

  // It is Tuesday in the first, and Monday in the second: at least one of them has another day than this machine.
  const [east, west] = [localTime('Pacific/Kiritimati', noon) ?? '', localTime('Pacific/Pago_Pago', noon) ?? '']
  assert.equal(east.includes('Tuesday') || west.includes('Monday'), true, `${east}, ${west}`)
})

test('the difference to a time zone is in hours, and unknown zones have none', () => {
  const now = Date.UTC(2030, 0, 5, 23, 30) / 1000
  const here = hoursAhead('UTC', now) ?? 0

  assert.equal((hoursAhead('Asia/Tokyo', now) ?? 0) - here, 9)
  assert.equal((hoursAhead('Asia/Kolkata', now) ?? 0) - here, 5.5)
  assert.equal((hoursAhead('America/New_York', now) ?? 0) - here, -5)
  assert.equal(hoursAhead('Mars/Base', now), null)
  assert.equal(hoursAhead('', now), null)
})
