import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown } from './render.ts'
import { emptyScope } from './scope.ts'

const render = (text: string) => renderMarkdown(text, emptyScope).html
const picture = (url: string) => `<div class="message_inline_image"><a href="${url}"><img src="${url}"></a></div>`
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
  assert.equal(renderMarkdown(cat, { ...emptyScope, previewsMedia: false }).html, `<p>${link(cat)}</p>`)
})

function titled(url: string, title: string): string {
  return `<div class="message_inline_image"><a href="${url}" title="${title}"><img src="${url}"></a></div>`
}

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
