import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesName } from './row-list.ts'

test('a channel is found by words of its name in any order, ignoring case and diacritics', () => {
  const typed = ['', '  ', 'dés', 'DES gro', 'grönt design', 'designs', 'x']

  assert.deepEqual(
    typed.map((text) => matchesName('Design Grönt', text)),
    [true, true, true, true, true, false, false],
  )
})
