import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markdownFromHtml } from './from-html.ts'

test('formats, links and line breaks are kept', () => {
  assert.equal(
    markdownFromHtml(
      '<p>A <b>bold </b>and <em>slanted</em> <a href="https://example.com/x">link</a>,<br>then <code>x * y</code>.</p>',
    ),
    'A **bold** and *slanted* [link](https://example.com/x),\nthen `x * y`.',
  )
  assert.equal(markdownFromHtml('<a href="https://example.com">https://example.com</a>'), 'https://example.com')
  assert.equal(markdownFromHtml('<a href="javascript:alert(1)">press</a> <s>old</s>'), 'press ~~old~~')
})

test('lists, quotes, headings, code and tables become Markdown', () => {
  assert.equal(
    markdownFromHtml(
      '<h2>Plan</h2><ul><li>one<ul><li>deeper</li></ul></li><li><p>two</p></li></ul><ol><li>a</li><li>b</li></ol>' +
        '<blockquote><p>said</p><p>twice</p></blockquote><pre>x = 1\nif x:\n  y()\n</pre><hr>' +
        '<table><tbody><tr><th>a</th><th>b</th></tr><tr><td>1|2</td></tr></tbody></table>',
    ),
    [
      '## Plan',
      '- one\n  - deeper\n- two',
      '1. a\n2. b',
      '> said\n> \n> twice',
      '```\nx = 1\nif x:\n  y()\n```',
      '---',
      '| a | b |\n| --- | --- |\n| 1\\|2 |  |',
    ].join('\n\n'),
  )
})

test('wrappers that programs add when copying are dropped', () => {
  assert.equal(
    markdownFromHtml(
      '<html>\r\n<head><title>Page</title><style>p { color: red }</style></head><body>\r\n<!--StartFragment--><meta charset=\'utf-8\'><b style="font-weight:normal;" id="docs-1">' +
        '<p dir="ltr"><span>All&nbsp;of it is </span><i>this</i></p></b><!--EndFragment-->\r\n</body>\r\n</html>',
    ),
    'All of it is *this*',
  )
})

test('HTML without formatting, and unreadable HTML, is pasted as plain text', () => {
  assert.equal(markdownFromHtml('<div>one</div><div>two &lt;3</div>'), null)
  assert.equal(markdownFromHtml('<p class=MsoNormal><b>bold</b></p>'), null)
  assert.equal(markdownFromHtml(`<b>${'x'.repeat(200_000)}</b>`), null)
})
