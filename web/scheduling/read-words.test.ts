import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readWords } from './read-words.ts'

const at = (...parts: [number, number, number, number, number?]) => new Date(...parts).getTime() / 1000

test('words name a time from now on', () => {
  const wednesday = at(2026, 10, 25, 14, 30)

  assert.equal(readWords('tomorrow at 9', wednesday), at(2026, 10, 26, 9))
  assert.equal(readWords('in 2 hours', wednesday), at(2026, 10, 25, 16, 30))
  assert.equal(readWords('monday 8:15', wednesday), at(2026, 10, 30, 8, 15))
  assert.equal(readWords('lunch', wednesday), null)
})
