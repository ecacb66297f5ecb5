import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireFullName } from './users.ts'

test('a name is trimmed and otherwise unchanged', () => {
  assert.equal(requireFullName('  Ada  Lovelace\n'), 'Ada  Lovelace')
  assert.equal(requireFullName('</a> https://evil'), '</a> https://evil')
  assert.equal(requireFullName('Zoë 🦊'), 'Zoë 🦊')
  assert.equal(requireFullName('🦊'.repeat(100)), '🦊'.repeat(100))
})

for (const [given, problem] of [
  ['', 'Name too short!'],
  ['   ', 'Name too short!'],
  ['🦊'.repeat(101), 'Name too long!'],
  ['Ada*', 'Invalid characters in name!'],
  ['Ada `Ada`', 'Invalid characters in name!'],
  ['A\\da', 'Invalid characters in name!'],
  ['"Ada"', 'Invalid characters in name!'],
  ['ada@example', 'Invalid characters in name!'],
  ['A\u0000da', 'Invalid characters in name!'],
  ['A\u202eda', 'Invalid characters in name!'],
  ['A\ud800da', 'Invalid characters in name!'],
  ['Ada|17', 'Invalid format!'],
] as const) {
  test(`the name ${JSON.stringify(given.slice(0, 12))} is refused`, () => {
    assert.throws(() => requireFullName(given), { message: problem })
  })
}
