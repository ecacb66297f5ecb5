import assert from 'node:assert/strict'
import test from 'node:test'
import { normalizeContent, requireContent, requireEditedContent } from './content.ts'

test('trailing white space and leading empty lines are removed, but indentation is kept', () => {
  assert.equal(requireContent('\n\n    code\n \n'), '    code')
})

test('10,000 code points are kept, and longer content is truncated with a marker within that length', () => {
  assert.equal(normalizeContent('😀'.repeat(10_000)), '😀'.repeat(10_000))

  const cut = Array.from(normalizeContent('😀'.repeat(10_001)))

  assert.equal(cut.length, 10_000)
  assert.equal(cut.slice(-21).join(''), '😀\n[message truncated]')
})

test('content of only white space cannot be sent, and an edit to it becomes "(deleted)"', () => {
  assert.throws(() => requireContent(' \n\t'), /Message must not be empty/)
  assert.equal(requireEditedContent(' \n'), '(deleted)')
})

test('a null byte is refused', () => {
  assert.throws(() => requireContent('a\0b'), /Message must not contain null bytes/)
})
