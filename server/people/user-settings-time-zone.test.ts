import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireTimezone } from './user-settings.ts'

test('time zones are those of the IANA database, including old names, in canonical case', () => {
  assert.equal(requireTimezone('Europe/Berlin'), 'Europe/Berlin')
  assert.equal(requireTimezone('america/new_york'), 'America/New_York')
  assert.equal(requireTimezone('Asia/Kolkata'), 'Asia/Kolkata')
  assert.equal(requireTimezone('UTC'), 'UTC')
  assert.equal(requireTimezone(''), '')
})

for (const given of ['Europe/Atlantis', '+01:00', '+05', 'Europe/Berlin\n', 'x'.repeat(51), ' ', '../etc']) {
  test(`the time zone ${JSON.stringify(given.slice(0, 20))} is refused`, () => {
    assert.throws(() => requireTimezone(given), {
      message: 'Invalid timezone: Value error, Not a recognized time zone',
    })
  })
}
