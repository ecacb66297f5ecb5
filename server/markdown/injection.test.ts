import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { test } from 'node:test'
import { findHtmlViolation } from '../../test/hostile/find-html-violation.ts'
import { injections } from '../../test/hostile/injections.ts'
import { sized } from '../../test/size.ts'
import { compileLinkifier } from './linkifier.ts'
import { renderMarkdown } from './render.ts'
import { renderers } from './renderers/renderers.ts'
import type { RenderScope } from './scope.ts'

const uploaded = '/user_uploads/1/ab/abcdefghijklmnopqrstuvwx/a.png'
const preview = {
  url: uploaded,
  thumbnailUrl: '/user_uploads/thumbnail/1/ab/abcdefghijklmnopqrstuvwx/a.png/840x560-anim.webp',
  contentType: 'image/png',
  width: 10,
  height: 20,
  isAnimated: true,
}

/** A scope in which every name exists. */
const scope: RenderScope = {
  realmUrls: ['https://chat.example.com'],
  findUserByName: (fullName) => ({ id: 1, fullName }),
  findUserById: (id) => ({ id, fullName: `<b>${id}</b>` }),
  findGroupByName: (name) => ({ id: 1, name }),
  findChannelByName: (name) => ({ id: 1, name }),
  findFirstIn: () => 12,
  findCustomEmoji: () => ({ url: '/emoji/1.png' }),
  images: new Map([[uploaded.slice('/user_uploads/'.length), preview]]),
  linkifiers: [
    compileLinkifier({ pattern: 'LINK(?P<rest>.+)', urlTemplate: '{+rest}' }),
    compileLinkifier({ pattern: 'PATH(?P<rest>.+)', urlTemplate: 'https://example.com/{+rest}' }),
  ],
  translateEmoticons: true,
  codeLanguage: '',
  previewsMedia: true,
  externalContentKey: { secret: createSecretKey(Buffer.alloc(32)), privateHosts: [] },
  linkPreviews: null,
  writers: renderers,
}

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
  (payload) => `https://example.com/${payload}.png`,
  (payload) => `https://youtu.be/hx1mjT73xYE?${payload}`,
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

test('no content can create markup of its own, in any position', (t) => {
  const payloads = injections()

  // In a small test run, each payload is tried in some of the positions.
  const step = sized(8, 1)
  const objections = positions.flatMap((position, number) =>
    payloads.flatMap((payload, at) => {
      if ((at + number) % step !== 0) return []
      const objection = findHtmlViolation(renderMarkdown(position(payload), scope).html)
      return objection === null ? [] : [`${objection} in ${JSON.stringify(position(payload))}`]
    }),
  )

  t.diagnostic(`${payloads.length} payloads in ${positions.length} positions`)
  assert.deepEqual(objections, [])
  assert.ok(payloads.length >= 5000 && positions.length >= 20)
})

test('the checker of this test detects forbidden markup', () => {
  const bad = [
    '<b>x</b>',
    '<p',
    '<p onclick="x">x</p>',
    '<p id="x">x</p>',
    '<p>',
    '</p>',
    '<p><em></p></em>',
    'a < b',
    '<a href="java&#115;cript:x">x</a>',
    '<a href="javascript:x">x</a>',
    '<a href="//example.com">x</a>',
    '<a href="/a" href="/b">x</a>',
    '<p style="text-align: left;">x</p>',
    '<td style="x"></td>',
    '<span style="top:1em;">x</span>',
    '<span class="katex"><span style="top:1em;">x</span></span>',
    '<span class="katex"><span class="katex-html"><span style="top:1px;">x</span></span></span>',
    '<span class="katex"><span class="katex-html"><span style="position:fixed;">x</span></span></span>',
    '<span class="katex"><span class="katex-html"><span style="background-color:url(x);">x</span></span></span>',
    '<span class="katex"><math><mstyle mathcolor="url(x)">x</mstyle></math></span>',
    '<span class="katex"><span class="user-mention">x</span></span>',
    '<span class="katex"><a href="/">x</a></span>',
    '<mi>x</mi>',
    '<div class="other-thing"></div>',
  ]

  const accepted = bad.filter((html) => findHtmlViolation(html) === null)

  assert.deepEqual(accepted, [])
})
