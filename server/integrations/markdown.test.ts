import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown } from '#markdown/render.ts'
import { emptyScope, type RenderScope } from '#markdown/scope.ts'
import { nameIn } from './families/forge.ts'
import { jiraText } from './families/jira-markup.ts'
import { slackContent, slackMessage, slackText } from './families/slack-format.ts'
import {
  bareLink,
  bold,
  bullets,
  code,
  codeBlock,
  foreignMarkdown,
  heading,
  htmlToText,
  link,
  type Markdown,
  md,
  plainText,
  quote,
  quoteMarkdown,
} from './markdown.ts'
import { jotform } from './services/jotform.ts'

/** A scope in which every name can be mentioned and every channel can be linked to. */
const scope: RenderScope = {
  ...emptyScope,
  findUserByName: (fullName) => ({ id: 1, fullName }),
  findUserById: (id) => ({ id, fullName: 'Ada' }),
  findGroupByName: (name) => ({ id: 2, name }),
  findChannelByName: (name) => ({ id: 3, name }),
  translateEmoticons: false,
}

const render = ({ markdown }: Markdown) => renderMarkdown(markdown, scope)

/** Returns the HTML without its entities, as it is read. */
const read = (html: string) =>
  html
    .replace(/<[^>]+>/g, '')
    .replace(/&#(\d+);/g, (_, digits: string) => String.fromCodePoint(Number(digits)))
    .replace(/&(lt|gt|amp|quot);/g, (_, name: string) => ({ lt: '<', gt: '>', amp: '&', quot: '"' })[name] ?? '')

const hostile = [
  '@**all**',
  '@_**Ada**',
  '@*admins*',
  '@**Ada|1**',
  '#**design**',
  '#**design>topic**',
  '*emphasis* **bold** ***both*** ~~gone~~',
  '[click](http://evil.example)',
  '[a](x) ](http://evil.example)',
  '`code` ``more`` `',
  '$$x^2$$',
  '<time:2020-01-01T00:00:00Z>',
  ':smile: and :heart:',
  '&lt;b&gt; &#42;&#42;x&#42;&#42;',
  '# heading',
  '> quote',
  '- item',
  '1. item',
  '/poll Which?',
  '/me waves',
  '---',
  '```\ncode',
  '~~~ quote',
  'a\n\n# b\n@**all**',
]

for (const text of hostile)
  test(`a payload cannot format, mention or link with ${JSON.stringify(text)}`, () => {
    for (const [where, content] of [
      ['at the start', md`${text}`],
      ['within a line', md`The text ${text} came.`],
      ['in bold', md`${bold(text)}`],
      ['in the text of a link', link(text, 'https://example.com/')],
      ['in a list', bullets([text, text])],
      ['in a heading', heading(text)],
      ['in a quote', quote(text)],
      ['in plain lines', plainText(text)],
      ['in code', code(text)],
      ['in a block of code', codeBlock(text)],
      ['in text of Slack', slackText(text.replaceAll('*', '&#42;'))],
    ] as const) {
      const { html, mentions, ...rest } = render(content) as ReturnType<typeof render> & { mentions?: unknown }
      assert.doesNotMatch(html, /user-mention|user-group-mention|channel-wildcard|class="stream/, `${where}: ${html}`)
      assert.doesNotMatch(html, /href="http:\/\/evil\.example"(?=>click)/, `${where}: ${html}`)
      if (where.startsWith('in a block') || where === 'in text of Slack') continue
      assert.doesNotMatch(html, /<em>|<del>|<time|class="emoji|katex|<h[3-6]|<hr/, `${where}: ${html}`)
      assert.ok(rest)
    }
  })

test('escaped text reads as it was written', () => {
  for (const text of ['2 * 3 * 4', '**x**', '[a](b)', '`x`', '@**all**', '&amp; &#42;', ':smile:', '$$x$$', '~~x~~'])
    assert.equal(read(render(md`Text: ${text}`).html), `Text: ${text}`)
})

test('text without special characters is not changed', () => {
  for (const text of ['[WIP] Fix #12 (again)', 'snake_case and $5', 'a > b', 'user@example.com', '50% – done'])
    assert.equal(md`x ${text}`.markdown, `x ${text}`)
})

test('a link goes where its address says, whatever its text and address contain', () => {
  const hrefs = (content: Markdown) => Array.from(render(content).html.matchAll(/href="([^"]*)"/g), ([, href]) => href)

  assert.deepEqual(hrefs(link('a] (b [c', 'https://example.com/')), ['https://example.com/'])
  assert.deepEqual(hrefs(link('x`y', 'https://example.com/`z')), ['https://example.com/%60z'])
  assert.deepEqual(hrefs(link('x', 'https://example.com/(a)')), ['https://example.com/(a)'])
  assert.deepEqual(hrefs(link('x', 'https://example.com/)(')), ['https://example.com/%29%28'])
  assert.deepEqual(hrefs(link('x', 'https://example.com/a b"c')), ['https://example.com/a%20b%22c'])
  for (const url of [
    'javascript:alert(1)',
    'data:text/html,x',
    '//evil',
    'evil',
    '',
    null,
    `https://${'a'.repeat(3000)}`,
  ])
    assert.deepEqual(hrefs(link('x', url)), [])
})

test('an address of a payload mentions nobody', () => {
  const address = 'https://example.com/@**all**?#**general**&@_**Ada**'
  for (const content of [link('', address), link('here', address), bareLink(address), md`See ${bareLink(address)}.`]) {
    const { html } = render(content)
    assert.match(html, /^<p>[^<]*<a href="https:\/\/example\.com\/@\*\*all\*\*/)
    assert.doesNotMatch(html, /user-mention|class="stream/)
  }
})

test('Markdown of a payload keeps its form, but mentions nobody and hides no address', () => {
  const { html } = render(
    quoteMarkdown('Hi @**all**, **see** [here](https://example.com/x) and\n- a\n- b\n<!-- hidden -->'),
  )

  assert.match(html, /<strong>see<\/strong>/)
  assert.match(html, /<li>a<\/li>/)
  assert.match(html, /here \(<a href="https:\/\/example.com\/x">https:/)
  assert.doesNotMatch(html, /user-mention|hidden/)
})

test('a quote ends where its text ends', () => {
  for (const text of ['a\n```\nb', 'a\n~~~\nb', 'a\n``` quote\nb\n```\nc', 'a\n~~~~~~ quote\nb'])
    for (const content of [quote(text), quoteMarkdown(text)])
      assert.match(render(md`${content}\n\nAfter`).html, /<\/blockquote>\n<p>After<\/p>$/)
})

test('text in the dialect of Slack becomes Markdown', () => {
  const become = (text: string) => slackText(text).markdown

  assert.equal(become('*bold* _it_ ~gone~ `code`'), '**bold** *it* ~~gone~~ `code`')
  assert.equal(become('a*b*c snake_case_name 2*3'), 'a&#42;b&#42;c snake_case_name 2&#42;3')
  assert.equal(
    become('<https://example.com/a|text &amp; more> <https://example.com>'),
    '[text & more](https://example.com/a) https://example.com',
  )
  assert.equal(become('*<https://example.com|x>*'), '**[x](https://example.com)**')
  assert.equal(become('<@U1|ada> <#C1|design> <!here> <!subteam^S1|@team>'), '@ada **#design** &#64;**all** @team')
  assert.equal(become('&lt;b&gt; @**all** :tada:'), '<b> @&#42;&#42;all&#42;&#42; :tada:')
  assert.equal(become('<!date^1392734382^{date}|Feb>'), '<time:2014-02-18T14:39:42Z>')
  assert.equal(become('<javascript:alert(1)|x>'), 'x')
})

test('text with the markup of Jira becomes Markdown', () => {
  assert.equal(
    jiraText('h2. Title\n*a* {{b}} [c|https://example.com] [~ada]').markdown,
    'Title\n**a** `b` [c](https://example.com) @ada',
  )
  assert.equal(jiraText('{code:java}x{code}').markdown, '\n```\nx\n```\n')
})

test('emphasis of Slack and Jira makes no mention with what precedes it', () => {
  const texts = [
    '@*all*',
    '#*design*',
    '@_admins_',
    '@_*Ada*',
    '<@x|@@>*all*',
    '<#x|@@>_admins_',
    '[~@]*all*',
    '`x`@*all*',
  ]
  for (const text of texts)
    for (const content of [slackText(text), jiraText(text)]) {
      const { html } = render(content)
      assert.doesNotMatch(html, /user-mention|user-group-mention|channel-wildcard|class="stream/, `${text}: ${html}`)
    }
  assert.equal(slackText('@*all*').markdown, '&#64;**all**')
})

test('HTML of a payload becomes text', () => {
  assert.equal(
    htmlToText('<p>One &amp; <b>two</b></p><ul><li>a</li><li>b</li></ul><script>x</script>'),
    'One & two\n• a\n• b\nx',
  )
  assert.equal(
    htmlToText(
      '<a class="b" href="https://a.example/?b=1&amp;c">here</a>, <a href="https://b.example">https://b.example</a>, <a href="javascript:x()">no</a><img alt="" src="https://c.example/d.png">',
    ),
    'here (https://a.example/?b=1&c), https://b.example, no https://c.example/d.png',
  )
})

/** Reads answers of a form of which the last is known. */
const answers = (text: string) =>
  jotform.toMessages(
    { formTitle: 'Form', pretty: `${text}:Z`, rawRequest: '{"q1_name": "Z"}' },
    { topic: undefined, header: noText, param: noText, wantsBranch: () => true, ignoresPrivate: false },
  )
const noText = () => undefined

test('space in a payload, and long lists, take linear time', () => {
  const space = ' '.repeat(1_000_000)
  const texts = [
    `a${space}b`,
    `{code}${space}b`,
    `{quote}a${space}`,
    `a${'\t \n'.repeat(300_000)}b`,
    ':a'.repeat(500_000),
  ]
  const inRichText = (text: string) => [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }]
  const richText = (text: string) =>
    slackContent(slackMessage.parse({ blocks: [{ type: 'rich_text', elements: inRichText(text) }] }))
  const conversions = [quote, foreignMarkdown, slackText, jiraText, htmlToText, nameIn, richText, answers]
  const start = process.cpuUsage()

  for (const text of texts) for (const convert of conversions) convert(text)
  assert.equal(md`${Array.from({ length: 50_000 }, () => 'a')}`.markdown.length, 50_000)

  const { user, system } = process.cpuUsage(start)
  assert.ok(user + system < 2_000_000, `${user + system} µs`)
})

test('escaping takes linear time', () => {
  for (const piece of [
    '[',
    '](',
    '*',
    '`',
    '<!--',
    '![a](',
    '&',
    '~',
    '<',
    '_a ',
    '{code}',
    '[~',
    '{quote}',
    '<http://a|',
    ':a',
    '&gt;a\n\n',
    '```a',
    '<a href=http://a',
    '<img src="http://a',
    'http://a ',
  ])
    for (const convert of [
      quote,
      quoteMarkdown,
      foreignMarkdown,
      plainText,
      slackText,
      jiraText,
      (text: string) => md`${text}`,
      htmlToText,
    ]) {
      const start = process.cpuUsage()
      convert(piece.repeat(1_000_000 / piece.length))
      const { user, system } = process.cpuUsage(start)
      assert.ok(user + system < 2_000_000, `${piece}: ${user + system} µs`)
    }
})
