import assert from 'node:assert/strict'
import { test } from 'node:test'
import { highlight } from './highlight.ts'

test('code in nested scopes gets the class of the innermost scope that has one', () => {
  assert.equal(
    highlight('"a#{b}"', 'ruby'),
    '<span class="s2">&quot;a</span><span class="si">#{b}</span><span class="s2">&quot;</span>',
  )
})

test('spans are flat, however deeply the code is nested', () => {
  const html = highlight('f"{'.repeat(2000), 'python') ?? ''

  assert.doesNotMatch(html, /<span[^>]*>[^<]*<span/)
})

test('code stays plain if its language is unknown or it does not consist of words and lines', () => {
  for (const source of ['a'.repeat(1001), `a${' '.repeat(1001)}b`, 'a '.repeat(2001)])
    assert.equal(highlight(source, 'js'), null)
  assert.equal(highlight('a', 'inventedlanguage'), null)
})
