import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileLinkifier } from './linkifier.ts'
import { renderMarkdown } from './render.ts'
import type { RenderScope } from './scope.ts'
import { writers } from './writers.ts'

const uploaded = '/user_uploads/1/ab/abcdefghijklmnopqrstuvwx/a.png'
const preview = {
  url: uploaded,
  thumbnailUrl: '/user_uploads/thumbnail/1/ab/abcdefghijklmnopqrstuvwx/a.png/840x560-anim.webp',
  contentType: 'image/png',
  width: 10,
  height: 20,
  isAnimated: true,
}

/** Whatever is named exists and is called so. */
const scope: RenderScope = {
  realmUrl: 'https://chat.example.com',
  findUserByName: (fullName) => ({ id: 1, fullName }),
  findUserById: (id) => ({ id, fullName: `<b>${id}</b>` }),
  findGroupByName: (name) => ({ id: 1, name }),
  findChannelByName: (name) => ({ id: 1, name }),
  findCustomEmoji: () => ({ url: '/emoji/1.png' }),
  images: new Map([[uploaded.slice('/user_uploads/'.length), preview]]),
  linkifiers: [
    compileLinkifier({ pattern: 'LINK(?P<rest>.+)', urlTemplate: '{+rest}' }),
    compileLinkifier({ pattern: 'PATH(?P<rest>.+)', urlTemplate: 'https://example.com/{+rest}' }),
  ],
  translateEmoticons: true,
  previewsMedia: true,
  writers,
}

const markup = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg/onload=alert(1)>',
  '" onmouseover="alert(1)',
  "' onfocus='alert(1)' autofocus='",
  '" style="position:fixed" x="',
  '</code></pre></div><iframe srcdoc="x">',
  '--><script>alert(1)</script><!--',
  ']]><style>*{}</style>',
  '<<a|a>script>alert(1)<</a|a>/script>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&#60;img src=x onerror=alert(1)&#62;',
  '\u00020\u0003<b>\u0002999\u0003',
  '<math><mi xlink:href="x">',
  '\0<b\0>',
  '`<b>`*<i>**<u>~~<s>',
]
const disguises: ((scheme: string) => string)[] = [
  (scheme) => `${scheme}:`,
  (scheme) => `${scheme.toUpperCase()}:`,
  (scheme) => ` ${scheme}:`,
  (scheme) => `\u0001${scheme}:`,
  (scheme) => `${scheme.slice(0, 2)}\t${scheme.slice(2)}:`,
  (scheme) => `${scheme.slice(0, 2)}\n${scheme.slice(2)}:`,
  (scheme) => `${scheme.slice(0, 2)}\u0002${scheme.slice(2)}:`,
  (scheme) => `&#${scheme.charCodeAt(0)};${scheme.slice(1)}:`,
  (scheme) => `&#x${scheme.charCodeAt(0).toString(16)};${scheme.slice(1)}:`,
  (scheme) => `${scheme}&colon;`,
  (scheme) => `${scheme}&#58;`,
  (scheme) => `${scheme}&amp;#58;`,
  (scheme) => `${scheme}%3A`,
  (scheme) => `${scheme}\u200B:`,
  (scheme) => `//x/\\..${scheme}:`,
  (scheme) => `https:${scheme}:`,
]
const addresses = ['javascript', 'data', 'vbscript', 'file', 'blob'].flatMap((scheme) =>
  disguises.map((disguise) => `${disguise(scheme)}text/html,alert(1)`),
)
const positions: ((payload: string) => string)[] = [
  (payload) => payload,
  (payload) => `**${payload}**`,
  (payload) => `*${payload}* ~~${payload}~~`,
  (payload) => `[x](${payload})`,
  (payload) => `[${payload}](https://example.com)`,
  (payload) => `[${payload}](${uploaded})`,
  (payload) => `[x](${uploaded}?${payload})`,
  (payload) => `[x](https://example.com "${payload}")`,
  (payload) => `[x](<${payload}> '${payload}')`,
  (payload) => `https://example.com/${payload}`,
  (payload) => `LINK${payload} PATH${payload}`,
  (payload) => `\`${payload}\``,
  (payload) => `\`\`\`${payload}\n${payload}\n\`\`\``,
  (payload) => `\`\`\`spoiler ${payload}\n${payload}\n\`\`\``,
  (payload) => `\`\`\`quote\n${payload}`,
  (payload) => `> ${payload}\n- ${payload}\n1. ${payload}\n# ${payload}`,
  (payload) => `|${payload}|b|\n|:-|-|\n|${payload}|${payload}|`,
  (payload) => `@**${payload}** @_**${payload}|1** @*${payload}*`,
  (payload) => `#**${payload}** #**a>${payload}** #**${payload}>b@5**`,
  (payload) => `:${payload}: :a:`,
  (payload) => `<time:${payload}>`,
  (payload) => `$$${payload}$$`,
  (payload) => `$$\\href{${payload}}{a} \\color{${payload}}{b}$$ $$\\htmlStyle{${payload}}{a}$$ $$\\text{${payload}}$$`,
  (payload) => `~~~math\n\\includegraphics{${payload}}\n\n\\sqrt{${payload}}\n~~~`,
  (payload) => `~~~js\n${payload}\n~~~\n~~~html\n${payload}\n~~~\n~~~\n#!${payload}\n~~~`,
  (payload) => `https://example.com/${payload}.png [${payload}](https://example.com/${payload}.mp4)`,
]

const ALLOWED: Record<string, string[]> = {
  a: ['class', 'data-stream-id', 'href', 'title'],
  div: ['aria-hidden', 'class', 'data-code-language'],
  img: ['alt', 'class', 'data-animated', 'data-original-content-type', 'data-original-dimensions', 'src', 'title'],
  ol: ['start'],
  span: ['aria-hidden', 'aria-label', 'class', 'data-user-group-id', 'data-user-id', 'role', 'style', 'title'],
  td: ['style'],
  th: ['style'],
  time: ['datetime'],
  video: ['preload', 'src'],
}
const PLAIN = 'blockquote br code del em h1 h2 h3 h4 h5 h6 hr li p pre strong table tbody thead tr ul'.split(' ')
/** What formulas are made of, with attributes that hold words and numbers. */
const FORMULA = (
  'math semantics annotation mrow mi mn mo mtext mspace mfrac msqrt mroot mstyle mpadded mphantom mover munder ' +
  'munderover msub msup msubsup mtable mtr mtd menclose svg path line'
).split(' ')
const VOID = ['br', 'hr', 'img']
const CLASSES = [
  /^(?:stream|stream-topic|message-link)$/,
  /^(?:user-mention|user-mention channel-wildcard-mention|topic-mention|user-group-mention)(?: silent)?$/,
  /^[a-z][a-z0-9]{0,2}$/,
  /^(?:katex|tex|m[a-z]+|vlist|strut|base|pstrut|sizing|reset|size|svg|hide|stretchy|delim|null|root|frac|rule|boxpad|fbox|col|arraycolsep|brace|halfarrow|accent|overline|underline|op|x-arrow|tag|cd|nulldelimiter)[a-z0-9 -]*$/,
  /^message_inline_image(?: message_inline_video)?$/,
  /^(?:codehilite|spoiler-block|spoiler-header|spoiler-content|timestamp-error|emoji|emoji emoji-[0-9a-f-]+)$/,
]
const VALUES: Record<string, RegExp> = {
  href: /^(?:https?:\/\/|ftp:|mailto:|bitcoin:|#|\/(?![/\\]))/i,
  src: /^(?:\/emoji\/1\.png$|\/user_uploads\/thumbnail\/1\/ab\/\w{24}\/a\.png\/840x560-anim\.webp$|https:\/\/example\.com\/)/,
  preload: /^metadata$/,
  style: /^(?:text-align: (?:left|center|right);|(?:[a-z-]+:-?[0-9.]+em;)+)$/,
  xmlns: /^http:\/\/www\.w3\.org\//,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  start: /^\d+$/,
}

test('no text makes markup of its own', () => {
  const payloads = [...markup, ...addresses]

  for (const payload of payloads) {
    for (const position of positions) {
      const { html } = renderMarkdown(position(payload), scope)
      assert.equal(objectionTo(html), null, `${JSON.stringify(position(payload))}\n${html}`)
    }
  }
})

test('the reader of this test objects to what it should', () => {
  const bad = [
    '<b>x</b>',
    '<p',
    '<p onclick="x">',
    '<p>',
    '</p>',
    '<a href="java&#115;cript:x">x</a>',
    '<td style="x">',
    '<div class="other-thing"></div>',
  ]

  const accepted = bad.filter((html) => objectionTo(html) === null)

  assert.deepEqual(accepted, [])
})

/** Why a browser would find more in the HTML than elements, attributes and addresses of the lists; `null` when it would not. */
function objectionTo(html: string): string | null {
  const open: string[] = []
  for (const [part] of html.matchAll(/<[^>]*>?/g)) {
    const match = /^<(\/?)([a-z][a-z0-9]*)((?: [a-zA-Z0-9-]+="[^"<>]*")*)(\/?)>$/.exec(part)
    if (!match) return `not a tag: ${part}`
    const [, closing, tag = '', attributes = '', ending] = match
    if (closing) {
      if (open.pop() !== tag || attributes) return `closed out of order: ${part}`
      continue
    }
    if (FORMULA.includes(tag)) {
      if (/ (?:on\w*|href|style|src|id)=/.test(attributes)) return `attributes of a formula: ${attributes}`
    } else if (!PLAIN.includes(tag) && !Object.hasOwn(ALLOWED, tag)) return `element ${tag}`
    if (!VOID.includes(tag) && !ending) open.push(tag)
    for (const [, name = '', value = ''] of attributes.matchAll(/ ([a-z-]+)="([^"]*)"/g)) {
      if (!FORMULA.includes(tag) && !isAllowed(tag, name, decode(value)))
        return `attribute ${name}="${value}" of ${tag}`
    }
  }
  return open.length === 0 ? null : `left open: ${open}`
}

function isAllowed(tag: string, name: string, value: string): boolean {
  if (!ALLOWED[tag]?.includes(name)) return false
  return name === 'class' ? CLASSES.some((pattern) => pattern.test(value)) : (VALUES[name]?.test(value) ?? true)
}

function decode(value: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', colon: ':', Tab: '\t', NewLine: '\n' }
  return value.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));?/gi, (all, hex, decimal, name) => {
    if (name) return named[name] ?? all
    return String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal))
  })
}
