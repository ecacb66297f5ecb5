import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HtmlNode, parseHtml } from '../parse-html.ts'
import { arrange } from './arrange.ts'

/**
 * Returns a node as short text: its class or tag, the address of the quoted message, and its children in parentheses.
 */
function show(node: HtmlNode): string {
  if (typeof node === 'string') return node.replace(/\n/g, '')
  const name = node.attributes.get('class') ?? node.tag
  const source = node.attributes.get('data-quote-source')
  return `${name}${source === undefined ? '' : `@${source}`}(${node.children.map(show).join('')})`
}

const arranged = (html: string) =>
  arrange(parseHtml(html, (text) => text))
    .map(show)
    .filter((text) => text !== '')

const picture = (name: string) =>
  `<div class="message_inline_image"><a href="/user_uploads/${name}" title="${name}"><img src="/t/${name}"></a></div>`

test('pictures that follow each other form one group', () => {
  assert.deepEqual(arranged(`${picture('a')}\n${picture('b')}<p>text</p>\n${picture('c')}`), [
    'message-pictures(message_inline_image(a(img()))message_inline_image(a(img())))',
    'p(text)',
    'message-pictures(message_inline_image(a(img())))',
  ])
})

test('a line of file links becomes cards, and links in a sentence stay', () => {
  assert.deepEqual(
    arranged('<p>See it<br>\n<a href="/user_uploads/a.pdf">a</a> <a href="/user_uploads/b.zip">b</a></p>'),
    ['p(See it)', 'message-file(a(a))', 'message-file(a(b))'],
  )
  assert.deepEqual(arranged('<p>one<br>\ntwo <a href="/user_uploads/a.pdf">a</a></p>'), ['p(onebr()two a(a))'])
  assert.deepEqual(arranged('<p><a href="https://example.com/a.pdf">a</a></p>'), ['p(a(a))'])
})

test('the line with the link to a picture is not repeated above the picture', () => {
  assert.deepEqual(arranged(`<p><a href="/user_uploads/a">a</a></p>\n${picture('a')}`), [
    'message-pictures(message_inline_image(a(img())))',
  ])
})

test('pictures and cards of files follow the order of their links', () => {
  const link = (name: string) => `<a href="/user_uploads/${name}">${name}</a>`
  const links = ['a', 'b.zip', 'c', 'd'].map(link).join('<br>\n')

  assert.deepEqual(arranged(`<p>See<br>\n${links}</p>\n${picture('a')}${picture('c')}${picture('d')}`), [
    'p(See)',
    'message-pictures(message_inline_image(a(img())))',
    'message-file(a(b.zip))',
    'message-pictures(message_inline_image(a(img()))message_inline_image(a(img())))',
  ])
})

test('a quote knows the message that the line before it links to', () => {
  const near = '/#narrow/channel/1-a/topic/b/near/7'
  assert.deepEqual(arranged(`<p>Ada <a href="${near}">said</a>:</p>\n<blockquote>\n<p>x</p>\n</blockquote>`), [
    'p(Ada a(said):)',
    `blockquote@${near}(p(x))`,
  ])
  assert.deepEqual(arranged('<p><a href="https://example.com">said</a></p><blockquote><p>x</p></blockquote>'), [
    'p(a(said))',
    'blockquote(p(x))',
  ])
})
