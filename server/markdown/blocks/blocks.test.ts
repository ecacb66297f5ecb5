import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown } from '../render.ts'
import { emptyScope } from '../scope.ts'

const code = (text: string) => `<div class="codehilite"><pre><span></span><code>${text}\n</code></pre></div>`

/** The output of the reference server, except for the classes of code. */
const renderings: [text: string, ...html: string[]][] = [
  ['- a\n  t', '<ul>', '<li>a<br>', '  t</li>', '</ul>'],
  ['- a\nt', '<ul>', '<li>a<br>', 't</li>', '</ul>'],
  ['- a\n  - b\n- c', '<ul>', '<li>a<ul>', '<li>b</li>', '</ul>', '</li>', '<li>c</li>', '</ul>'],
  ['- a\n - b', '<ul>', '<li>a</li>', '<li>b</li>', '</ul>'],
  ['- a\n    - b', '<ul>', '<li>a<br>', '    - b</li>', '</ul>'],
  ['- a\n  1. b', '<ul>', '<li>', '<p>a</p>', '<ol>', '<li>b</li>', '</ol>', '</li>', '</ul>'],
  ['  - a', '<p>- a</p>'],
  ['a\n  - b', '<p>a</p>', '<p>- b</p>'],
  ['a\n- b\nc', '<p>a</p>', '<ul>', '<li>b<br>', 'c</li>', '</ul>'],
  ['- a\n1. b', '<ul>', '<li>a</li>', '</ul>', '<ol>', '<li>b</li>', '</ol>'],
  ['- a\n\n- b', '<ul>', '<li>', '<p>a</p>', '</li>', '<li>', '<p>b</p>', '</li>', '</ul>'],
  ['- a\n\n  b', '<ul>', '<li>', '<p>a</p>', '<p>b</p>', '</li>', '</ul>'],
  ['- a\n\nb', '<ul>', '<li>a</li>', '</ul>', '<p>b</p>'],
  ['- a\n\n      b', '<ul>', `<li>a${code('b')}`, '</li>', '</ul>'],
  ['- a\n# h', '<ul>', '<li>a</li>', '</ul>', '<h1>h</h1>'],
  ['- a\n> q', '<ul>', '<li>a<blockquote>', '<p>q</p>', '</blockquote>', '</li>', '</ul>'],
  ['- a\n---', '<ul>', '<li>a</li>', '</ul>', '<hr>'],
  ['- a\n  ```\n  b\n  ```', '<ul>', '<li>a<br>', '<code>\n  b\n  </code></li>', '</ul>'],
  ['```  \nb\n```  \nc', code('b'), '<p>c</p>'],
  ['- a\n```\nb\n```\n- c', '<ul>', '<li>a</li>', '</ul>', code('b'), '<ul>', '<li>c</li>', '</ul>'],
  ['02. a', '<ol start="02">', '<li>a</li>', '</ol>'],
  ['1) a', '<p>1) a</p>'],
  ['-a', '<p>-a</p>'],
  ['# a #\nb', '<h1>a</h1>', '<p>b</p>'],
  ['a\n## b', '<p>a</p>', '<h2>b</h2>'],
  ['a\n---\nb', '<p>a</p>', '<hr>', '<p>b</p>'],
  ['***\n- - -\n_ _ _', '<hr>', '<hr>', '<hr>'],
  ['> a\nb\n\nc', '<blockquote>', '<p>a<br>', 'b</p>', '</blockquote>', '<p>c</p>'],
  ['a\n> b', '<p>a</p>', '<blockquote>', '<p>b</p>', '</blockquote>'],
  ['> a\n\n> b', '<blockquote>', '<p>a</p>', '</blockquote>', '<blockquote>', '<p>b</p>', '</blockquote>'],
  ['> - a\n> - b', '<blockquote>', '<ul>', '<li>a</li>', '<li>b</li>', '</ul>', '</blockquote>'],
  ['> ```\n> a\n> ```', '<blockquote>', '<p><code>\na\n</code></p>', '</blockquote>'],
  ['    a\n\n    b', code('a\n\nb')],
  ['a\n    b', '<p>a<br>', '    b</p>'],
  ['```\n\ta  \n```', code('    a')],
  ['```\n```'],
  ['``` quoted\na\n```', '<blockquote>', '<p>a</p>', '</blockquote>'],
  [' ```\na\n ```', '<p><code>\na\n </code></p>'],
  ['~~~\na\n```\nb\n~~~', code('a\n```\nb')],
  [
    '|a\n|-\n|b',
    '<table>',
    '<thead>',
    '<tr>',
    '<th>a</th>',
    '</tr>',
    '</thead>',
    '<tbody>',
    '<tr>',
    '<td>b</td>',
    '</tr>',
    '</tbody>',
    '</table>',
  ],
  [
    'a|b\n-|-\n`|`|\\|',
    '<table>',
    '<thead>',
    '<tr>',
    '<th>a</th>',
    '<th>b</th>',
    '</tr>',
    '</thead>',
    '<tbody>',
    '<tr>',
    '<td><code>|</code></td>',
    '<td>\\|</td>',
    '</tr>',
    '</tbody>',
    '</table>',
  ],
  ['a\na|b\n-|-\n1|2', '<p>a<br>', 'a|b<br>', '-|-<br>', '1|2</p>'],
]

for (const [text, ...html] of renderings) {
  test(JSON.stringify(text), () => {
    assert.equal(renderMarkdown(text, emptyScope).html, html.join('\n'))
  })
}

test('code without a language uses the default language of the organization', () => {
  const { html } = renderMarkdown('```\na\n```\n```Other\nb\n```', { ...emptyScope, codeLanguage: 'python' })

  assert.match(html, /data-code-language="Python">.*data-code-language="other">/s)
})
