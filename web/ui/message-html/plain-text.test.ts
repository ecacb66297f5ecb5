import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainText } from './plain-text.ts'

test('the text of a message is one line without marks', () => {
  assert.equal(
    plainText('<p>One <b>two</b></p>\n<ul>\n<li>three</li>\n<li>four &amp; five</li>\n</ul>'),
    'One two three four & five',
  )
  assert.equal(plainText('<p>Look <span class="emoji emoji-1f389" title="tada">:tada:</span></p>'), 'Look 🎉')
  assert.equal(plainText(`<p>${'long '.repeat(100)}</p>`).length, 200)
})
