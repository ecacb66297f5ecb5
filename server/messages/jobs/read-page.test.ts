import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { test } from 'node:test'
import { type LinkPreview, linkPreviewsIn } from '#markdown/previews.ts'
import { renderMarkdown } from '#markdown/render.ts'
import { emptyScope } from '#markdown/scope.ts'
import { findHtmlViolation } from '../../../test/hostile/find-html-violation.ts'
import { injections } from '../../../test/hostile/injections.ts'
import { sized } from '../../../test/size.ts'
import { oembedAddressOf, readOembed, readPage } from './read-page.ts'

const URL = 'https://example.com/tea/green'
const read = (html: string) => readPage({ url: URL, html }).preview
const externalContentKey = { secret: createSecretKey(Buffer.alloc(32)), privateHosts: [] }

test('the properties for previews come before the title and description of the page', () => {
  const own = '<title>Tea</title><meta name="description" content="All about tea">'
  const graph =
    '<meta property="og:title" content="Green tea"><meta property=og:description content=Fresh>' +
    `<meta content='/cup.png?a=1&amp;b=2' property='og:image'>`

  assert.deepEqual(read(`<!doctype html><html><head>${own}</head>`), {
    kind: 'website',
    title: 'Tea',
    description: 'All about tea',
    image: null,
  })
  assert.deepEqual(read(`<HTML><HEAD>${own}${graph}`), {
    kind: 'website',
    title: 'Green tea',
    description: 'Fresh',
    image: 'https://example.com/cup.png?a=1&b=2',
  })
})

test('a page without a title has no preview', () => {
  for (const html of ['', 'text', '<title> \n </title>', '<meta property="og:image" content="/a.png">', '<title'])
    assert.equal(read(html), null, html)
})

test('entities are decoded, and text becomes one line of limited length', () => {
  const line = (title: string) => read(`<title>${title}</title>`)?.title

  assert.equal(line('Tea\n\t &amp; &lt;b&gt; &#x2615; &hellip; &unknown;'), 'Tea & <b> ☕ … &unknown;')
  assert.equal(line('&amp;lt;'), '&lt;')
  assert.equal(line('🍵'.repeat(300)), `${'🍵'.repeat(199)}…`)
  assert.equal(line(' \u202eevil\u202c \u2066a\u2069\u0000 \u200bb '), 'evil a b')
  assert.equal(line('می‌خواهم'), 'می‌خواهم')
})

test('only the head counts: not comments, scripts or the body', () => {
  const html =
    '<head><!-- <title>Comment</title> --><script>var a = "<title>Script</title>"</script>' +
    '<style>/* <meta name="description" content="Style"> */</style><title>Tea</title><title>Second</title></head>' +
    '<body><meta name="description" content="Body">'

  assert.deepEqual(read(html), { kind: 'website', title: 'Tea', description: '', image: null })
})

test('a picture must have an address of the web without credentials', () => {
  const imageOf = (image: string) => read(`<title>a</title><meta property="og:image" content="${image}">`)?.image

  assert.equal(imageOf('https://example.com/a.png'), 'https://example.com/a.png')
  for (const bad of [
    'https://ada@example.com/a.png',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
    `/${'a'.repeat(2000)}`,
    'https://',
  ])
    assert.equal(imageOf(bad), null, bad)
})

test('broken markup is read to its end', () => {
  for (const html of [
    '<title>Tea</title><meta property="og:description" content="never closed',
    '<title>Tea</title><!-- never closed',
    `<title>Tea</title>${'<meta a=" '.repeat(1000)}`,
    `<title>Tea</title><meta ${' '.repeat(1000)}= = "=>`,
    '<title>Tea',
  ])
    assert.equal(read(html)?.title, 'Tea', html.slice(0, 60))
})

test('a page cannot add markup of its own, and the preview can be read from the message again', () => {
  const payloads = injections().filter((_, at) => at % sized(8, 1) === 0)
  const objections = payloads.flatMap((payload) => {
    const attribute = payload.replaceAll('"', '&quot;')
    const preview = read(
      `<meta property="og:title" content="x${attribute}"><meta name="description" content="y${attribute}">` +
        `<meta property="og:image" content="/${attribute}">`,
    )
    assert.ok(preview, payload)
    const video: LinkPreview = { ...preview, kind: 'video', description: '' }
    return [preview, video].flatMap((shown) => {
      const { html } = renderMarkdown(URL, { ...emptyScope, externalContentKey, linkPreviews: new Map([[URL, shown]]) })
      const again = linkPreviewsIn(html).get(URL)
      const isSame = again?.title === shown.title && again.description === shown.description
      const objection = findHtmlViolation(html) ?? (isSame ? null : 'another preview')
      return objection === null ? [] : [`${objection} in ${JSON.stringify(payload)}`]
    })
  })

  assert.ok(payloads.length > 100)
  assert.deepEqual(objections, [])
})

test('a page names its oEmbed description, which is read if the page has no picture or is about a video', () => {
  const named = '<title>a</title><link rel="alternate" type="application/json+oembed" href="/oembed?a=1&amp;b=2">'
  const picture = '<meta property="og:image" content="/a.png">'
  const addressIn = (html: string) => readPage({ url: URL, html }).oembedAddress

  assert.equal(addressIn(named), 'https://example.com/oembed?a=1&b=2')
  assert.equal(addressIn(named + picture), null)
  assert.equal(
    addressIn(`${named}${picture}<meta property="og:type" content="video.other">`),
    'https://example.com/oembed?a=1&b=2',
  )
  for (const other of [
    named.replace('alternate', 'stylesheet'),
    named.replace('json+oembed', 'xml+oembed'),
    named.replace('/oembed', 'javascript:'),
  ])
    assert.equal(addressIn(other), null, other)
})

test('videos of YouTube and Vimeo are described by the services themselves', () => {
  const vimeo = 'https://vimeo.com/channels/staffpicks/76979871'

  assert.equal(oembedAddressOf(vimeo), `https://vimeo.com/api/oembed.json?url=${encodeURIComponent(vimeo)}`)
  assert.match(oembedAddressOf('https://youtu.be/hx1mjT73xYE') ?? '', /^https:\/\/www\.youtube\.com\/oembed\?/)
  for (const other of ['https://vimeo.com/about', 'https://example.com/vimeo.com/1', 'https://www.youtube.com/'])
    assert.equal(oembedAddressOf(other), null, other)
})

test('a description is a photo or a video with a title and a picture, and its HTML is ignored', () => {
  const describe = (fields: object | string) =>
    readOembed({ url: URL, html: typeof fields === 'string' ? fields : JSON.stringify(fields) })
  const html = '<iframe src="https://example.com"></iframe><script>alert(1)</script>'
  const thumbnail_url = 'https://example.com/a.jpg'

  assert.deepEqual(describe({ type: 'video', version: '1.0', title: 'Tea &amp;\u202e cake', thumbnail_url, html }), {
    kind: 'video',
    title: 'Tea & cake',
    description: '',
    image: thumbnail_url,
  })
  assert.deepEqual(describe({ type: 'photo', author_name: 'Ada', url: '/full.jpg', thumbnail_url }), {
    kind: 'photo',
    title: 'Ada',
    description: '',
    image: 'https://example.com/full.jpg',
  })
  for (const bad of [
    '',
    '<html>',
    '[]',
    'null',
    { type: 'rich', title: 'Tea', thumbnail_url, html },
    { type: 'video', title: 'Tea' },
    { type: 'video', title: 'Tea', thumbnail_url: 'javascript:alert(1)' },
    { type: 'video', title: 'Tea', thumbnail_url: ['https://example.com/a.jpg'] },
    { type: 'video', thumbnail_url },
    { type: 'photo', title: ' \u200b', thumbnail_url },
  ])
    assert.equal(describe(bad), null, JSON.stringify(bad))
})
