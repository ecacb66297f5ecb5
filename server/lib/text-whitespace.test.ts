import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trimWhitespace } from './text.ts'

test('whitespace at both ends is removed, as on the reference server', () => {
  const blanks = '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000'

  assert.equal(trimWhitespace(`${blanks}a b${blanks}`), 'a b')
  assert.equal(trimWhitespace(blanks), '')
  assert.equal(trimWhitespace('\ufeffa\u200b'), '\ufeffa\u200b')
})
