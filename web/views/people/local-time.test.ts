import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localTime } from './local-time.ts'

test('local time is shown for a known time zone, and none for an unknown one', () => {
  const noon = Date.UTC(2026, 0, 5, 12) / 1000

  assert.match(localTime('Asia/Kolkata', noon) ?? '', /5:30|17:30/)
  assert.equal(localTime('', noon), null)
  assert.equal(localTime('Nowhere/Land', noon), null)
})

test('a different day is named', () => {
  const evening = Date.UTC(2026, 0, 5, 12) / 1000

  assert.match(localTime('Pacific/Kiritimati', evening) ?? '', /Tuesday/)
})
