import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fragment, isValidElement, type ReactNode } from 'react'
import { decodeEntities, parseHtml } from '../parse-html.ts'
import { toReact } from './to-react.ts'

type Shown = string | [tag: string, props: Record<string, unknown>, ...children: Shown[]]

/** Returns React's elements in a form that can be compared. */
function shown(node: ReactNode): Shown[] {
  if (Array.isArray(node)) return node.flatMap(shown)
  if (!isValidElement<{ children?: ReactNode }>(node)) return node === undefined ? [] : [String(node)]
  const { children, ...props } = node.props
  if (node.type === Fragment) return shown(children)
  return [[node.type as string, props, ...shown(children)]]
}

const show = (html: string) => shown(toReact(parseHtml(html, decodeEntities)))

test('rendered HTML is shown element by element', () => {
  assert.deepEqual(show('<p>Hello <strong>you</strong><br>\n&lt;b&gt; &amp;amp;</p>'), [
    ['p', {}, 'Hello ', ['strong', {}, 'you'], ['br', {}], '\n<b> &amp;'],
  ])
})

test('lists and quotes run in the direction of their text', () => {
  const hebrew = '<li>1. שלום</li>'
  assert.deepEqual(show(`<blockquote><ol start="2">${hebrew}</ol></blockquote>`), [
    ['blockquote', { dir: 'rtl' }, ['ol', { start: '2', dir: 'rtl' }, ['li', {}, '1. שלום']]],
  ])
  assert.deepEqual(show('<ul><li>a שלום</li></ul>'), [['ul', { dir: 'ltr' }, ['li', {}, 'a שלום']]])
})

test('unknown elements and attributes are dropped, and their content is text', () => {
  assert.deepEqual(show('<script>alert(1)</script><p onclick="alert(1)" id="root">a<iframe src="/x"></iframe></p>'), [
    'alert(1)',
    ['p', {}, 'a'],
  ])
})

test('links open the web, an email program or this site', () => {
  const hrefOf = (href: string) => (show(`<a href="${href}">x</a>`)[0] as [string, Record<string, unknown>])[1]['href']

  assert.equal(hrefOf('https://example.com/?a=1&amp;b=2'), 'https://example.com/?a=1&b=2')
  assert.equal(hrefOf('/user_uploads/2/a.png'), '/user_uploads/2/a.png')
  assert.equal(hrefOf('mailto:ada@example.com'), 'mailto:ada@example.com')
  for (const bad of [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'data:text/html,x',
  ])
    assert.equal(hrefOf(bad), undefined, bad)
})

test('images, files and other sites open in a new tab, pages of the client do not', () => {
  const targetOf = (html: string) => {
    const { target, rel } = (show(html)[0] as [string, Record<string, unknown>])[1]
    return [target, rel]
  }
  const ownTab = ['_blank', 'noopener noreferrer']

  assert.deepEqual(targetOf('<a href="/user_uploads/2/a.png"><img src="/user_uploads/thumbnail/2/a.png"></a>'), ownTab)
  assert.deepEqual(targetOf('<a href="/user_avatars/2/a.png"><img src="/user_avatars/2/a.png"></a>'), ownTab)
  assert.deepEqual(targetOf('<a href="/user_uploads/2/plan.pdf">plan.pdf</a>'), ownTab)
  assert.deepEqual(targetOf('<a href="https://example.com/">there</a>'), ownTab)
  assert.deepEqual(targetOf('<a href="/#narrow/channel/1-design">design</a>'), [undefined, undefined])
})

test('images are only loaded from this site', () => {
  const srcOf = (src: string) => (show(`<img src="${src}">`)[0] as [string, Record<string, unknown>])[1]['src']

  assert.equal(srcOf('/user_avatars/2/3.png'), '/user_avatars/2/3.png')
  for (const bad of [
    'https://tracker.example/x.png',
    '//tracker.example/x.png',
    '/\\tracker.example/x.png',
    'data:image/png;base64,AA',
  ])
    assert.equal(srcOf(bad), undefined, bad)
})

test('styles are applied one by one, without those that load resources or escape the message', () => {
  assert.deepEqual(
    show('<span style="height:1.2em;vertical-align:-0.25em;position:fixed;background:url(/x)">x</span>'),
    [['span', { style: { height: '1.2em', verticalAlign: '-0.25em' } }, 'x']],
  )
})

test('a framed formula differs from one without a frame', () => {
  assert.deepEqual(show('<menclose notation="box"><mi>a</mi></menclose>'), [
    ['menclose', { notation: 'box' }, ['mi', {}, 'a']],
  ])
})

test('elements inside each other by the thousand are cut off, and their text stays', () => {
  const depthOf = ([node]: Shown[]): number => (Array.isArray(node) ? 1 + depthOf(node.slice(2) as Shown[]) : 0)
  const nodes = show(`${'<em>'.repeat(2000)}deep${'</em>'.repeat(2000)}`)

  assert(depthOf(nodes) <= 151)
  assert(JSON.stringify(nodes).includes('deep'))
})

test('malformed HTML becomes text or is closed with its parent', () => {
  assert.deepEqual(show('<p>a < b <em>c</p> d</em> e'), [['p', {}, 'a ', '<', ' b ', ['em', {}, 'c']], ' d', ' e'])
})

test('emoji are characters, named by their title', () => {
  assert.deepEqual(show('<span aria-label="wave" class="emoji emoji-1f44b" role="img" title="wave">:wave:</span>'), [
    ['span', { 'aria-label': 'wave', className: 'emoji emoji-1f44b', role: 'img', title: 'wave' }, '👋'],
  ])
})
