import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { test } from 'node:test'
import { externalContentPath } from '#lib/external-content-address.ts'
import { withProxiedMedia } from './previews.ts'
import { renderMarkdown } from './render.ts'
import { emptyScope } from './scope.ts'

const externalContentKey = { secret: createSecretKey(Buffer.alloc(32)), privateHosts: [] }
const withPictures = { ...emptyScope, externalContentKey }
const render = (text: string) => renderMarkdown(text, withPictures).html
const proxied = (url: string) => externalContentPath(externalContentKey, url) ?? assert.fail(url)
const picture = (url: string) =>
  `<div class="message_inline_image"><a href="${url}"><img src="${proxied(url)}"></a></div>`
const link = (url: string) => `<a href="${url}">${url}</a>`

const [cat, dog] = ['https://example.com/cat.png', 'http://example.com/dog.JPG?size=2']

test('a bare image address is replaced by the image in every kind of paragraph', () => {
  assert.equal(render(`${cat}\n\n> ${dog}`), `${picture(cat)}<blockquote>\n<p>${link(dog)}</p>\n</blockquote>`)
  assert.equal(render(`* ${cat}\n* ${dog}`), `<ul>\n<li>${picture(cat)}</li>\n<li>${picture(dog)}</li>\n</ul>`)
  assert.equal(render(`[cat](${cat})`), `<p><a href="${cat}">cat</a></p>\n${titled(cat, 'cat')}`)
})

test('an address is previewed once, below the first paragraph that links to it', () => {
  const html = render(`See ${cat}\n\nand ${cat} and ${dog}`)

  assert.equal(
    html,
    `<p>See ${link(cat)}</p>\n${picture(cat)}<p>and ${link(cat)} and ${link(dog)}</p>\n${picture(dog)}`,
  )
})

test('media linked in a table are displayed at the end', () => {
  const html = render(`|a|\n|-|\n|${cat}|\n\nend`)

  assert.ok(html.endsWith(`<p>end</p>\n${picture(cat)}`), html)
})

test('quoted images, email addresses, other schemes and pages have no preview', () => {
  const html = render(
    `> ${cat}\n\nme@example.png ftp://example.com/a.png https://example.com/a.png/ https://example.com/?a.png`,
  )

  assert.doesNotMatch(html, /<img/)
})

test('a message with more than 24 links, or in an organization without previews, shows no media', () => {
  const links = Array.from({ length: 25 }, (_, number) => `https://example.com/${number}.png`)

  assert.equal(render(links.slice(1).join(' ')).split('<img').length - 1, 24)
  assert.doesNotMatch(render(links.join(' ')), /<img/)
  assert.equal(renderMarkdown(cat, { ...withPictures, previewsMedia: false }).html, `<p>${link(cat)}</p>`)
})

function titled(url: string, title: string): string {
  return `<div class="message_inline_image"><a href="${url}" title="${title}"><img src="${proxied(url)}"></a></div>`
}

test('without the key for their addresses, and at other ports, pictures and videos of other sites are links', () => {
  const clip = 'https://example.com/clip.mp4'
  const elsewhere = 'https://example.com:8443/cat.png'
  const youtube = 'https://youtu.be/hx1mjT73xYE'

  for (const url of [cat, clip, youtube]) assert.equal(renderMarkdown(url, emptyScope).html, `<p>${link(url)}</p>`)
  assert.equal(render(elsewhere), `<p>${link(elsewhere)}</p>`)
})

test('a video is passed on like a picture', () => {
  const clip = 'https://example.com/clip.mp4'

  assert.equal(
    render(clip),
    `<div class="message_inline_image message_inline_video"><a href="${clip}">` +
      `<video preload="metadata" src="${proxied(clip)}"></video></a></div>`,
  )
})

test('an address with escaped ampersands is passed on as browsers open it', () => {
  const typed = 'https://example.com/a.png?x=1&amp;y=2'

  assert.ok(render(typed).includes(`<img src="${proxied('https://example.com/a.png?x=1&y=2')}">`))
})

test('a link to a YouTube video is followed by its thumbnail', () => {
  const thumbnail = (url: string, id: string) =>
    `<div class="youtube-video message_inline_image"><a data-id="${id}" href="${url}">` +
    `<img src="${proxied(`https://i.ytimg.com/vi/${id}/mqdefault.jpg`)}"></a></div>`

  for (const [url, id] of [
    ['https://www.youtube.com/watch?v=hx1mjT73xYE', 'hx1mjT73xYE'],
    ['http://m.youtube.com/watch?list=PL1&amp;v=0c46YHS3RY8&amp;t=9', '0c46YHS3RY8'],
    ['https://youtu.be/hx1mjT73x_E?t=5', 'hx1mjT73x_E'],
    ['https://www.youtube.com/shorts/hx1mjT73xYE', 'hx1mjT73xYE'],
    ['https://www.youtube-nocookie.com/embed/hx1mjT73xYE', 'hx1mjT73xYE'],
  ] as const)
    assert.equal(render(url), `<p>${link(url)}</p>\n${thumbnail(url, id)}`)
  for (const url of [
    'https://www.youtube.com/',
    'https://www.youtube.com/watch?v=short',
    'https://www.youtube.com/playlist?list=PLhx1mjT73xYE',
    'https://youtube.com.example.com/watch?v=hx1mjT73xYE',
    'https://example.com/?u=https://youtu.be/hx1mjT73xYE',
  ])
    assert.equal(render(url), `<p>${link(url)}</p>`)
})

test('HTML of an older renderer gets addresses of this server', () => {
  const old =
    `<p>see ${link(cat)}</p>\n<div class="message_inline_image"><a href="${cat}"><img src="${cat}?a=1&amp;b=2"></a></div>` +
    `<div class="message_inline_image message_inline_video"><a href="${cat}"><video preload="metadata" src="${dog}"></video></a></div>` +
    '<img alt=":tea:" class="emoji" src="/user_avatars/2/tea.png"><img src="https://example.com:1/a.png">' +
    '<p>background-image: url(&quot;https://example.com/a.png&quot;)</p>' +
    `<a class="message_embed_image" href="${dog}" style="background-image: url(&quot;${cat}&quot;)"></a>`

  assert.equal(
    withProxiedMedia(old, externalContentKey),
    `<p>see ${link(cat)}</p>\n<div class="message_inline_image"><a href="${cat}"><img src="${proxied(`${cat}?a=1&b=2`)}"></a></div>` +
      `<div class="message_inline_image message_inline_video"><a href="${cat}"><video preload="metadata" src="${proxied(dog)}"></video></a></div>` +
      '<img alt=":tea:" class="emoji" src="/user_avatars/2/tea.png"><img src="">' +
      '<p>background-image: url(&quot;https://example.com/a.png&quot;)</p>' +
      `<a class="message_embed_image" href="${dog}" style="background-image: url(&quot;${proxied(cat)}&quot;)"></a>`,
  )
})

test('an uploaded image is shown once as its thumbnail, with the text of the link as its title', () => {
  const path = '1/ab/abcdefghijklmnopqrstuvwx/sea.png'
  const image = { url: `/user_uploads/${path}`, contentType: 'image/png', width: 30, height: 20 }
  const still = { ...image, thumbnailUrl: '/still.webp', isAnimated: false }
  const scope = { ...emptyScope, realmUrls: ['https://chat.example.com'], images: new Map([[path, still]]) }
  const shown = (title: string, animated = '') =>
    `<div class="message_inline_image"><a href="${image.url}" title="${title}"><img${animated}` +
    ' data-original-content-type="image/png" data-original-dimensions="30x20" src="/still.webp"></a></div>'

  const labelled = renderMarkdown(`see [the sea](${image.url}) and [again](${image.url})\n\nend`, scope).html
  const whole = renderMarkdown(`https://chat.example.com${image.url}`, scope).html
  const moving = new Map([[path, { ...still, isAnimated: true }]])
  const animated = renderMarkdown(`[sea](${image.url})`, { ...scope, images: moving }).html
  const unknown = renderMarkdown(`[sea](${image.url}x)`, scope).html

  assert.equal(
    labelled,
    `<p>see <a href="${image.url}">the sea</a> and <a href="${image.url}">again</a></p>\n${shown('the sea')}<p>end</p>`,
  )
  assert.ok(whole.endsWith(`</p>\n${shown(`https://chat.example.com${image.url}`)}`), whole)
  assert.equal(animated, `<p><a href="${image.url}">sea</a></p>\n${shown('sea', ' data-animated="true"')}`)
  assert.equal(unknown, `<p><a href="${image.url}x">sea</a></p>`)
})
