import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatMoment } from '../ui/moments.ts'
import { plainText } from './plain-text.ts'

test('the text of a message is one line without marks', () => {
  assert.equal(
    plainText('<p>One <b>two</b></p>\n<ul>\n<li>three</li>\n<li>four &amp; five</li>\n</ul>'),
    'One two three four & five',
  )
  assert.equal(plainText('<p>Look <span class="emoji emoji-1f389" title="tada">:tada:</span></p>'), 'Look 🎉')
  assert.equal(plainText('<p><img alt=":parley:" class="emoji" src="/x.png" title="parley"></p>'), ':parley:')
})

test('spoilers stay hidden, and formulas are shown once, as source', () => {
  assert.equal(
    plainText(
      '<div class="spoiler-block"><div class="spoiler-header"><p>Ending</p></div>' +
        '<div class="spoiler-content" aria-hidden="true"><p>she wins</p></div></div>' +
        '<p><span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi>' +
        '<annotation encoding="application/x-tex">x^2</annotation></semantics></math></span>' +
        '<span class="katex-html">x2</span></span></p>',
    ),
    'Ending (hidden) x^2',
  )
})

test('times are shown as in the message', () => {
  const at = '2026-11-30T09:00:00Z'

  const text = plainText(`<p>at <time datetime="${at}">2026-11-30T10:00:00+01:00</time>, ok</p>`)

  assert.equal(text, `at ${formatMoment(Date.parse(at), Date.now(), false)}, ok`)
  assert.equal(plainText('<p><time datetime="soon">soon</time></p>'), 'soon')
})

test('links to topics and messages are shown as in the message', () => {
  const link = (kind: string, text: string) =>
    plainText(`<p>see <a class="${kind}" href="/#narrow/channel/5">${text}</a></p>`)

  assert.equal(link('stream-topic', '#design &gt; a &gt; b'), 'see #design › a > b')
  assert.equal(link('message-link', '#design &gt; icons @ 💬'), 'see #design › icons')
  assert.equal(link('other', 'a &gt; b'), 'see a > b')
})

test('long messages are cut off', () => {
  const cut = plainText(`<p>${'word '.repeat(100)}</p>`)

  assert.ok(cut.length <= 202 && cut.endsWith('word …'))
  assert.equal(plainText(`<p>${'🎉'.repeat(201)}</p>`), `${'🎉'.repeat(200)} …`)
})
