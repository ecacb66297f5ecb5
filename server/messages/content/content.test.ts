import assert from 'node:assert/strict'
import test from 'node:test'
import { normalizeContent, requireContent, requireEditedContent } from './content.ts'

test('white space goes from the end and empty lines from the start, but indentation stays', () => {
  assert.equal(requireContent('\n\n    code\n \n'), '    code')
})

test('10,000 code points stay as they are, and more are cut with a mark within that length', () => {
  assert.equal(normalizeContent('😀'.repeat(10_000)), '😀'.repeat(10_000))

  const cut = Array.from(normalizeContent('😀'.repeat(10_001)))

  assert.equal(cut.length, 10_000)
  assert.equal(cut.slice(-21).join(''), '😀\n[message truncated]')
})

test('a text of nothing but white space cannot be sent, and says so when edited', () => {
  assert.throws(() => requireContent(' \n\t'), /Message must not be empty/)
  assert.equal(requireEditedContent(' \n'), '(deleted)')
})

test('a null byte is refused', () => {
  assert.throws(() => requireContent('a\0b'), /Message must not contain null bytes/)
})
