import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/fast-check.ts'
import { renderLayout } from './render-email.ts'

const page = {
  heading: 'Ada invites you',
  blocks: [
    'Ada <ada@example.com> would like you to join Engines.',
    { items: ['#design', '#engines'] },
    { button: 'Join Engines', url: 'https://chat.test/accounts/do_confirm/abc?a=1&b=2' },
  ],
  footer: 'You received this email because you have an account.',
}

test('text and HTML have the same content', () => {
  const { text, html } = renderLayout(page)

  assert.equal(
    text,
    [
      'Ada invites you',
      '',
      'Ada <ada@example.com> would like you to join Engines.',
      '',
      '- #design',
      '- #engines',
      '',
      'Join Engines:',
      'https://chat.test/accounts/do_confirm/abc?a=1&b=2',
      '',
      '-- ',
      'You received this email because you have an account.',
      '',
    ].join('\n'),
  )
  assert.match(html, /<html lang="en">/)
  assert.match(html, /<p>Ada &lt;ada@example\.com&gt; would like you to join Engines\.<\/p>/)
  assert.match(html, /<ul><li>#design<\/li><li>#engines<\/li><\/ul>/)
  assert.equal(html.match(/href="https:\/\/chat\.test\/accounts\/do_confirm\/abc\?a=1&amp;b=2"/g)?.length, 2)
})

test('the HTML loads nothing from other servers', () => {
  assert.doesNotMatch(renderLayout(page).html, /<img|<link|src=|url\(|<script/)
})

test('a name cannot add an element, a line or a link', () => {
  const unit = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('<b>', '\n\n', '\r', '</p><a href="x">', '"', '&#60;'),
  )
  const name = fc.array(unit).map((parts) => parts.join(''))
  const sample = renderLayout({ ...page, heading: 'x', blocks: ['x', { items: ['x'] }], footer: 'x' })
  const tagsOf = (html: string) => html.match(/<[^>]*>/g)?.map((tag) => tag)
  const linesOf = (text: string) => text.split(/\r\n|[\n\r\u2028\u2029]/).length

  fc.assert(
    fc.property(name, (evil) => {
      const { text, html } = renderLayout({ ...page, heading: evil, blocks: [evil, { items: [evil] }], footer: evil })
      assert.deepEqual(tagsOf(html), tagsOf(sample.html))
      assert.equal(linesOf(text), linesOf(sample.text))
    }),
  )
})

test('a button may link to a web page only', () => {
  assert.throws(() => renderLayout({ ...page, blocks: [{ button: 'Join', url: 'javascript:alert(1)' }] }))
})
