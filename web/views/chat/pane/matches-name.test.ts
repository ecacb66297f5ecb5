import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesName } from './matches-name.ts'

test('a channel is found by parts of its name in any order, without marks and capitals', () => {
  const typed = ['', '  ', 'dés', 'DES gro', 'grönt design', 'designs', 'x']

  assert.deepEqual(
    typed.map((text) => matchesName('Design Grönt', text)),
    [true, true, true, true, true, false, false],
  )
})
