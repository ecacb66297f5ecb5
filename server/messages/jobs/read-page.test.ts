import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkPreviewsIn } from '#markdown/previews.ts'
import { renderMarkdown } from '#markdown/render.ts'
import { emptyScope } from '#markdown/scope.ts'
import { findHtmlViolation } from '../../../test/hostile/find-html-violation.ts'
import { injections } from '../../../test/hostile/injections.ts'
import { sized } from '../../../test/size.ts'
import { readPage } from './read-page.ts'

const URL = 'https://example.com/tea/green'
const read = (html: string) => readPage({ url: URL, html })

test('the properties for previews come before the title and description of the page', () => {
  const own = '<title>Tea</title><meta name="description" content="All about tea">'
  const graph =
    '<meta property="og:title" content="Green tea"><meta property=og:description content=Fresh>' +
    `<meta content='/cup.png?a=1&amp;b=2' property='og:image'>`

  assert.deepEqual(read(`<!doctype html><html><head>${own}</head>`), {
    title: 'Tea',
    description: 'All about tea',
    image: null,
  })
  assert.deepEqual(read(`<HTML><HEAD>${own}${graph}`), {
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

  assert.deepEqual(read(html), { title: 'Tea', description: '', image: null })
})

test('a picture must have an https URL', () => {
  const imageOf = (image: string) => read(`<title>a</title><meta property="og:image" content="${image}">`)?.image

  assert.equal(imageOf('https://example.com/a.png'), 'https://example.com/a.png')
  for (const bad of [
    'http://example.com/a.png',
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
    const { html } = renderMarkdown(URL, { ...emptyScope, linkPreviews: new Map([[URL, preview]]) })
    const again = linkPreviewsIn(html).get(URL)
    const isSame = again?.title === preview.title && again.description === preview.description
    const objection = findHtmlViolation(html) ?? (isSame ? null : 'another preview')
    return objection === null ? [] : [`${objection} in ${JSON.stringify(payload)}`]
  })

  assert.ok(payloads.length > 100)
  assert.deepEqual(objections, [])
})
