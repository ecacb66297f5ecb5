import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown } from '#markdown/render.ts'
import { formulaToHtml } from '#markdown/renderers/formula.ts'
import { emptyScope } from '#markdown/scope.ts'
import { fc } from '../../../test/fast-check.ts'
import { toMailContent } from './message-text.ts'

const BASE_URL = 'http://parley.test'

const convert = (markdown: string) => {
  const { text, html } = toMailContent(renderMarkdown(markdown, { ...emptyScope, previewsMedia: true }).html, BASE_URL)
  return { text, html: html.html }
}

test('formatting is kept in HTML, and the text in plain text', () => {
  const { text, html } = convert('**a** & *b* <c> `d`\n\n* one\n* two\n\n> said\n\n```py\nif x:\n    y\n```')

  assert.equal(text, 'a & b <c> d\n- one\n- two\nsaid\nif x:\n    y')
  assert.match(html, /<p><strong>a<\/strong> &amp; <em>b<\/em> &lt;c&gt; <code>d<\/code><\/p>/)
  assert.match(html, /<ul>\n?<li>one<\/li>\n?<li>two<\/li>\n?<\/ul>/)
  assert.match(html, /<blockquote>.*said.*<\/blockquote>/s)
})

test('relative links lead to the organization, and plain text includes their URLs', () => {
  const { text, html } = convert('[file](/user_uploads/1/ab/c.txt) https://example.com [mail](mailto:a@example.com)')

  assert.match(html, /<a href="http:\/\/parley\.test\/user_uploads\/1\/ab\/c\.txt">file<\/a>/)
  assert.equal(
    text,
    'file <http://parley.test/user_uploads/1/ab/c.txt> https://example.com mail <mailto:a@example.com>',
  )
})

test('images and previews are not embedded', () => {
  for (const markdown of [
    '[cat.png](/user_uploads/1/ab/cat.png)',
    'https://example.com/cat.png',
    '[film](/user_uploads/1/ab/film.mp4)',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
  ]) {
    const { html, text } = convert(markdown)
    assert.doesNotMatch(html, /<img|<video|src=|style="[^"]*url/, markdown)
    assert.notEqual(text, '')
  }
})

test('a preview becomes a single link', () => {
  const url = 'https://example.com/cat.png'

  assert.equal(convert(url).text, url)
  assert.equal(convert(url).html, `<p><a href="${url}">${url}</a></p>`)
  assert.equal(convert(`look: ${url}`).text, `look: ${url}`)
  assert.doesNotMatch(convert(`\`\`\`spoiler\n${url}\n\`\`\``).text, /cat/)
})

test('spoilers stay hidden, formulas become their source, and emoji become characters', () => {
  const spoiler = convert('```spoiler The end\nthe *butler* did it\n```\n\nafter')
  assert.doesNotMatch(spoiler.html + spoiler.text, /butler/)
  assert.match(spoiler.text, /The end\n\(Open the conversation to see the spoiler content\.\)\nafter/)

  assert.equal(toMailContent(`<p>so ${formulaToHtml('x^2', false)} it is</p>`, BASE_URL).text, 'so x^2 it is')
  const hidden = `<div class="spoiler-content">${formulaToHtml('x^2', false)}</div>`
  assert.doesNotMatch(toMailContent(hidden, BASE_URL).text, /x\^2/)
  assert.equal(convert(':tada: done').text, '🎉 done')
})

test('the HTML contains only allowed elements, and all of them are closed', () => {
  const parts = fc.constantFrom(
    ...['<script>', '"', "'", '&lt;', '>', '**', '*', '`', '\n', '> ', '* ', '1. ', '[a](', ')', 'javascript:x', '/x'],
    ...[
      '```spoiler a\n',
      '```\n',
      '```math\n',
      '$$',
      'x',
      ' ',
      '|a|b|\n|--|--|\n|c|d|\n',
      ':tada:',
      'https://a.org/b.png',
    ],
  )
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 30 }), (markdown) => {
      const { html } = convert(markdown.join(''))
      const open: string[] = []
      for (const [tag, slash, name = ''] of html.matchAll(/<(\/?)([^\s>]*)[^>]*>/g)) {
        assert.match(
          tag,
          /^<(\/?(blockquote|code|del|em|h[1-6]|li|ol|p|strong|table|tbody|td|th|thead|tr|ul|pre|a)|br|hr|pre style="[^"<>]*"|a href="(https?:\/\/|mailto:)[^"<>]*")>$/,
        )
        if (slash === '/') assert.equal(open.pop(), name)
        else if (!['br', 'hr'].includes(name)) open.push(name)
      }
      assert.deepEqual(open, [])
    }),
    { numRuns: 500 },
  )
})
