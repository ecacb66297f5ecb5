import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toCharacters } from './emoji-text.ts'

test('an emoji is shown in its graphical form, even if it is a sequence', () => {
  assert.equal(toCharacters('1f44d'), '\u{1f44d}')
  assert.equal(toCharacters('2764'), '\u2764\ufe0f')
  assert.equal(toCharacters('0023-20e3'), '#\ufe0f\u20e3')
  assert.equal(toCharacters('1f1e9-1f1ea'), '\u{1f1e9}\u{1f1ea}')
  assert.equal(toCharacters('1f468-200d-2764-200d-1f468'), '\u{1f468}\u200d\u2764\ufe0f\u200d\u{1f468}')
  assert.equal(toCharacters('1f3f3-200d-1f308'), '\u{1f3f3}\ufe0f\u200d\u{1f308}')
  assert.equal(toCharacters('1f3cb-1f3fd-200d-2640'), '\u{1f3cb}\u{1f3fd}\u200d\u2640\ufe0f')
  assert.equal(toCharacters('zulip'), '')
})
