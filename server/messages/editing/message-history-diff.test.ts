import assert from 'node:assert/strict'
import test from 'node:test'
import { fc } from '../../../test/fast-check.ts'
import { diffHtml } from './message-history.ts'

test('insertions are highlighted, followed by deletions', () => {
  assert.equal(
    diffHtml('<p>Hello, dear world</p>', '<p>Hello, new world</p>'),
    '<div><p>Hello, <span class="highlight_text_inserted">new</span><span class="highlight_text_deleted">dear</span> world</p></div>',
  )
})

test('inserted elements stay properly nested, and of deleted elements only the text is shown', () => {
  assert.equal(
    diffHtml('<p>a <em>b</em></p>', '<p>a <strong>c</strong></p>'),
    '<div><p>a <strong><span class="highlight_text_inserted">c</span></strong><span class="highlight_text_deleted">b</span></p></div>',
  )
})

test('removing the highlighting from a difference gives the new text', () => {
  const html = fc
    .array(fc.constantFrom('a', 'b', ' ', '&lt;', '<em>c</em>', '<br>'), { maxLength: 12 })
    .map((pieces) => `<p>${pieces.join('')}</p>`)
  fc.assert(
    fc.property(html, html, (before, after) => {
      const unmarked = diffHtml(before, after)
        .replace(/<span class="highlight_text_deleted">[^<]*<\/span>/g, '')
        .replace(/<span class="highlight_text_inserted">([^<]*)<\/span>/g, '$1')
      assert.equal(unmarked.replaceAll(' ', ''), `<div>${after}</div>`.replaceAll(' ', ''))
    }),
  )
})
