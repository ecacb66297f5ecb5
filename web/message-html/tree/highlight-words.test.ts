import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeEntities, type HtmlNode, parseHtml } from '../parse-html.ts'
import { highlightWords } from './highlight-words.ts'

/** Returns the message with highlighted words in angle quotes. */
function show(html: string, ...text: string[]): string {
  const write = (node: HtmlNode): string => {
    if (typeof node === 'string') return node
    const inside = node.children.map(write).join('')
    return node.attributes.get('class') === 'alert-word' ? `«${inside}»` : inside
  }
  return highlightWords(parseHtml(html, decodeEntities), text).map(write).join('')
}

test('whole words are highlighted in any case', () => {
  assert.equal(
    show('<p>Tea, <strong>tea</strong>; "TEA"? (tea) tea</p>', 'tea'),
    '«Tea», «tea»; "«TEA»"? («tea») «tea»',
  )
  assert.equal(show('<p>teapot steam tea-time @tea</p>', 'tea'), 'teapot steam tea-time @tea')
  assert.equal(show('<p>Straße, ÉTÉ 🍵</p>', 'straße', 'été', '🍵'), '«Straße», «ÉTÉ» «🍵»')
})

test('the longest of several matches is highlighted, and special characters are literal', () => {
  assert.equal(show('<p>green tea or green</p>', 'green', 'green tea'), '«green tea» or «green»')
  assert.equal(show('<p>a.b axb c++ (d</p>', 'a.b', 'c++', '(d', '$', '-'), '«a.b» axb «c++» «(d»')
  assert.equal(show('<p>&lt;b&gt; b</p>', '<b>'), '«<b>» b')
})

test('code, formulas, names and link URLs are not highlighted', () => {
  const untouched = [
    '<p><code>tea</code></p>',
    '<div class="codehilite"><pre><span></span><code>tea</code></pre></div>',
    '<p><span class="katex"><math><mi>tea</mi></math></span></p>',
    '<p><span class="user-mention" data-user-id="1">tea</span></p>',
    '<p><span aria-label="tea" class="emoji emoji-1f375" role="img" title="tea">tea</span></p>',
  ]
  for (const html of untouched) assert.equal(show(html, 'tea'), 'tea', html)

  const [link] = highlightWords(parseHtml('<a href="/tea" title="tea">no</a>', decodeEntities), ['tea'])

  assert.deepEqual(link, {
    tag: 'a',
    attributes: new Map([
      ['href', '/tea'],
      ['title', 'tea'],
    ]),
    children: ['no'],
  })
})

test('nothing is highlighted without alert words', () => {
  assert.equal(show('<p>tea</p>'), 'tea')
})
