import assert from 'node:assert/strict'
import { test } from 'node:test'
import { highlight } from './highlight.ts'

test('what lies in several scopes has the class of the innermost one that has any', () => {
  assert.equal(
    highlight('"a#{b}"', 'ruby'),
    '<span class="s2">&quot;a</span><span class="si">#{b}</span><span class="s2">&quot;</span>',
  )
})

test('spans are flat, however deep the code nests', () => {
  const html = highlight('f"{'.repeat(2000), 'python') ?? ''

  assert.doesNotMatch(html, /<span[^>]*>[^<]*<span/)
})

test('code of a language that is not known, or that is not made of words and lines, stays plain', () => {
  for (const source of ['a'.repeat(1001), `a${' '.repeat(1001)}b`, 'a '.repeat(2001)])
    assert.equal(highlight(source, 'js'), null)
  assert.equal(highlight('a', 'inventedlanguage'), null)
})
