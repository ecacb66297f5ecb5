import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initials } from './names.ts'

test('initials are the first letters of the first and the last word', () => {
  assert.deepEqual(['Ada Lovelace', ' cleo ', 'Juan Carlos de Borbón', '𝒜da Lovelace', ''].map(initials), [
    'AL',
    'C',
    'JB',
    '𝒜L',
    '',
  ])
})
