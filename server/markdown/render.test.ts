import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileLinkifier } from './linkifier.ts'
import { renderMarkdown } from './render.ts'
import { emptyScope, type RenderScope } from './scope.ts'

const users = [
  { id: 7, fullName: 'Zoe' },
  { id: 8, fullName: 'Ada <Countess>' },
]
const scope: RenderScope = {
  ...emptyScope,
  realmUrls: ['https://chat.example.com'],
  findUserByName: (name) => users.find((user) => user.fullName.toLowerCase() === name.toLowerCase()) ?? null,
  findUserById: (id) => users.find((user) => user.id === id) ?? null,
  findGroupByName: (name) => (name === 'backend' ? { id: 3, name } : null),
  findChannelByName: (name) => (name === 'design & code' ? { id: 5, name } : null),
  findFirstIn: (channelId, topic) => (channelId === 5 && topic === 'used' ? 31 : null),
  findCustomEmoji: (name) => (name === 'green_tick' ? { url: '/user_avatars/1/emoji/images/1.png' } : null),
  linkifiers: [compileLinkifier({ pattern: '#(?P<id>[0-9]+)', urlTemplate: 'https://tracker.example.com/{id}' })],
}

function zoe(silent = false): string {
  return silent
    ? '<span class="user-mention silent" data-user-id="7">Zoe</span>'
    : '<span class="user-mention" data-user-id="7">@Zoe</span>'
}

const renderings: [title: string, text: string, html: string][] = [
  ['line breaks and leading spaces are kept', 'a\n  b', '<p>a<br>\n  b</p>'],
  ['carriage returns are line breaks', 'a\r\nb', '<p>a<br>\nb</p>'],
  ['stars emphasize', '*a* **b** ***c***', '<p><em>a</em> <strong>b</strong> <strong><em>c</em></strong></p>'],
  ['strong text can be inside emphasized text', '*a **b** c*', '<p><em>a <strong>b</strong> c</em></p>'],
  ['emphasis does not cross lines', '*a\nb*', '<p>*a<br>\nb*</p>'],
  ['underscores have no meaning', '_a_ __b__', '<p>_a_ __b__</p>'],
  ['tildes strike', '~~a *b*~~ ~c~', '<p><del>a <em>b</em></del> ~c~</p>'],
  ['a number is literal, whatever markup surrounds it', '\u00020\u0003 `x`', '<p>0 <code>x</code></p>'],
  [
    'entities keep their meaning in text but not in code',
    '&lt;&copy; `&lt;`',
    '<p>&lt;&copy; <code>&amp;lt;</code></p>',
  ],
  ['a backslash escapes a backtick', '\\`a`', '<p>\\`a`</p>'],
  [
    'a link keeps the code in its label',
    '[a `b]`](https://x.y/)',
    '<p><a href="https://x.y/">a <code>b]</code></a></p>',
  ],
  [
    'a label may contain mentions, code and times, but no emphasis, links or emoji',
    '[@**Zoe** `x` *a* http://x.com #12 :heart: <time:0>](http://y.com)',
    `<p><a href="http://y.com">${zoe()} <code>x</code> *a* http://x.com #12 :heart: <time datetime="1970-01-01T00:00:00Z">0</time></a></p>`,
  ],
  [
    'in the address of a link, an entity has no meaning except for &amp;',
    '[a](https://x.y/?b=1&c=2&amp;d=3&copy;=4&#38;e) https://x.y/?b=1&c=2&amp;d=3&copy=4',
    '<p><a href="https://x.y/?b=1&amp;c=2&amp;d=3&amp;copy;=4&amp;#38;e">a</a> <a href="https://x.y/?b=1&amp;c=2&amp;d=3&amp;copy=4">https://x.y/?b=1&amp;c=2&amp;d=3&amp;copy=4</a></p>',
  ],
  ['a link without an address is a link', '[a]()', '<p><a href="http://">a</a></p>'],
  ['a link may contain parentheses', '[a](http://x.com/(b)c)', '<p><a href="http://x.com/(b)c">a</a></p>'],
  [
    'an address in brackets may contain any parentheses',
    '[a](<x.com/)(> "t")',
    '<p><a href="http://x.com/)(" title="t">a</a></p>',
  ],
  [
    'a title may contain quotes of the other kind',
    `[a](x.com "it's")`,
    `<p><a href="http://x.com" title="it's">a</a></p>`,
  ],
  ['an apostrophe belongs to the address', `[a](x.com/it's)`, `<p><a href="http://x.com/it's">a</a></p>`],
  ['code opens with fewer backticks if that number closes it', '``a`', '<p><code>`a</code></p>'],
  ['code is enclosed by the same number of backticks', '`` a`b ``', '<p><code> a`b </code></p>'],
  ['two backslashes before code become one', '\\\\`a`', '<p>\\<code>a</code></p>'],
  ['a link has a title', '[a](x.example.com "b")', '<p><a href="http://x.example.com" title="b">a</a></p>'],
  ['an image is shown as its address', '![a](https://x.y/)', '<p>![a](<a href="https://x.y/">https://x.y/</a>)</p>'],
  [
    'an address within the organization becomes relative',
    'https://chat.example.com/#narrow/x',
    '<p><a href="#narrow/x">https://chat.example.com/#narrow/x</a></p>',
  ],
  ['a linkifier creates links', 'see #12.', '<p>see <a href="https://tracker.example.com/12">#12</a>.</p>'],
  ['an address wins over a linkifier', 'http://x.com/:#12', '<p><a href="http://x.com/:#12">http://x.com/:#12</a></p>'],
  [
    'no emphasis begins inside an address',
    'http://x.com/*a and*',
    '<p><a href="http://x.com/*a">http://x.com/*a</a> and*</p>',
  ],
  ['a user is mentioned by name in any case', '@**zoe**', `<p>${zoe()}</p>`],
  ['a user is mentioned by name and id', '(@**Zoe|7**)', `<p>(${zoe()})</p>`],
  ['a user is mentioned by id alone', '@**|7**', `<p>${zoe()}</p>`],
  ['a name that does not match the id mentions no one', '@**Ada|7**', '<p>@<strong>Ada|7</strong></p>'],
  ['an unknown name stays text', '@**Nobody** @*nogroup*', '<p>@<strong>Nobody</strong> @<em>nogroup</em></p>'],
  ['a mention inside a word is text', 'x@**Zoe**', '<p>x@<strong>Zoe</strong></p>'],
  ['a silent mention shows no @', '@_**Zoe**', `<p>${zoe(true)}</p>`],
  [
    'a mention in a quote is silent',
    '> @**Zoe**\n\n@**Zoe**',
    `<blockquote>\n<p>${zoe(true)}</p>\n</blockquote>\n<p>${zoe()}</p>`,
  ],
  [
    'names are escaped',
    '@**ada <countess>**',
    '<p><span class="user-mention" data-user-id="8">@Ada &lt;Countess&gt;</span></p>',
  ],
  [
    'a group is mentioned',
    '@*backend*',
    '<p><span class="user-group-mention" data-user-group-id="3">@backend</span></p>',
  ],
  [
    'a group is mentioned silently',
    '@_*backend*',
    '<p><span class="user-group-mention silent" data-user-group-id="3">backend</span></p>',
  ],
  [
    'everyone is mentioned',
    '@**all**',
    '<p><span class="user-mention channel-wildcard-mention" data-user-id="*">@all</span></p>',
  ],
  [
    'a topic is mentioned',
    '@**topic** @_**topic**',
    '<p><span class="topic-mention">@topic</span> <span class="topic-mention silent">topic</span></p>',
  ],
  [
    'a channel is linked',
    '#**design & code**',
    '<p><a class="stream" data-stream-id="5" href="/#narrow/channel/5-design-.26-code">#design &amp; code</a></p>',
  ],
  [
    'a topic is linked',
    '#**design & code>v1.0 (a)**',
    '<p><a class="stream-topic" data-stream-id="5" href="/#narrow/channel/5-design-.26-code/topic/v1.2E0.20.28a.29">#design &amp; code &gt; v1.0 (a)</a></p>',
  ],
  [
    'a topic with messages is linked by its newest message',
    '#**design & code>used**',
    '<p><a class="stream-topic" data-stream-id="5" href="/#narrow/channel/5-design-.26-code/topic/used/with/31">#design &amp; code &gt; used</a></p>',
  ],
  [
    'the empty topic is linked',
    '#**design & code>**',
    '<p><a class="stream-topic" data-stream-id="5" href="/#narrow/channel/5-design-.26-code/topic/">#design &amp; code &gt; <em>general chat</em></a></p>',
  ],
  [
    'a message is linked',
    '#**design & code>a@12**',
    '<p><a class="message-link" href="/#narrow/channel/5-design-.26-code/topic/a/near/12">#design &amp; code &gt; a @ 💬</a></p>',
  ],
  ['an unknown channel stays text', '#**secret**', '<p>#<strong>secret</strong></p>'],
  [
    'a custom emoji is an image',
    ':green_tick:',
    '<p><img alt=":green_tick:" class="emoji" src="/user_avatars/1/emoji/images/1.png" title="green tick"></p>',
  ],
  [
    'an unknown emoji and a known one can share a colon',
    ':unheard:heart:',
    '<p>:unheard<span aria-label="heart" class="emoji emoji-2764" role="img" title="heart">:heart:</span></p>',
  ],
  [
    'symbols stay text unless an emoji-style selector follows',
    '©©️',
    '<p>©<span aria-label="copyright" class="emoji emoji-00a9" role="img" title="copyright">:copyright:</span></p>',
  ],
  ['/me stays', '/me waves', '<p>/me waves</p>'],
  ['formulas keep their source', '$$a*b*c$$', '<p>$$a*b*c$$</p>'],
  [
    'code has its language',
    '```py\n<a> "b"\n```',
    '<div class="codehilite" data-code-language="Python"><pre><span></span><code>&lt;a&gt; &quot;b&quot;\n</code></pre></div>',
  ],
  ['items of another kind start another list', '- a\n1. b', '<ul>\n<li>a</li>\n</ul>\n<ol>\n<li>b</li>\n</ol>'],
  ['a year at the beginning of a line starts no list', 'born in\n1986. Yes', '<p>born in<br>\n1986. Yes</p>'],
  ['a horizontal rule separates paragraphs', 'a\n\n---\n\nb', '<p>a</p>\n<hr>\n<p>b</p>'],
  [
    'table columns are aligned',
    '|a|b|c|\n|:-|:-:|-:|\n|1|`|`|',
    '<table>\n<thead>\n<tr>\n<th style="text-align: left;">a</th>\n<th style="text-align: center;">b</th>\n<th style="text-align: right;">c</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td style="text-align: left;">1</td>\n<td style="text-align: center;"><code>|</code></td>\n<td style="text-align: right;"></td>\n</tr>\n</tbody>\n</table>',
  ],
  [
    'a table without rows has an empty row',
    '|a|\n|-|',
    '<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td></td>\n</tr>\n</tbody>\n</table>',
  ],
  ['an empty text renders as nothing', ' \n', ''],
]

for (const [title, text, html] of renderings) {
  test(title, () => {
    assert.equal(renderMarkdown(text, scope).html, html)
  })
}

test('emoticons become emoji if the sender enabled it', () => {
  const html = renderMarkdown(':) x:)', { ...scope, translateEmoticons: true }).html

  assert.equal(
    html,
    '<p><span aria-label="smile" class="emoji emoji-1f642" role="img" title="smile">:smile:</span> x:)</p>',
  )
})

test('each person mentioned aloud is notified once', () => {
  const { mentionedUserIds, mentionedGroupIds, mentionsChannel, mentionsTopic } = renderMarkdown(
    '@**Zoe** @**Zoe|7** @_**|8** @*backend* @**channel** @**topic**',
    scope,
  )

  assert.deepEqual([mentionedUserIds, mentionedGroupIds], [[7], [3]])
  assert.ok(mentionsChannel && mentionsTopic)
})

test('silent, quoted and code mentions notify no one', () => {
  const silent = '@_**Zoe** @_*backend* @_**all** @_**topic**'
  const aloud = '@**Zoe** @*backend* @**all** @**topic**'

  const rendering = renderMarkdown(`${silent}\n> ${aloud}\n\n\`${aloud}\`\n\`\`\`quote\n${aloud}\n\`\`\``, scope)

  assert.partialDeepStrictEqual(rendering, {
    mentionedUserIds: [],
    mentionedGroupIds: [],
    mentionsChannel: false,
    mentionsTopic: false,
    previewableUrls: [],
  })
})

test('text that is nested too deeply is kept as text', () => {
  const { html } = renderMarkdown(`${'> '.repeat(50)}deep`, scope)

  assert.equal(html.match(/<blockquote>/g)?.length, 20)
  assert.match(html, /<p>(&gt; ){30}deep<\/p>/)
})
