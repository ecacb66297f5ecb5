import { createElement, Fragment, type ReactNode } from 'react'
import type { ContentParts, ShowContext, ShowSpecial } from '../content-parts.ts'
import { showsEmojiNames } from '../display-settings.ts'
import { emojiText } from '../emoji-text.ts'
import { directionOf, type HtmlElement, type HtmlNode, hasClass } from '../parse-html.ts'
import { ALLOWED_ATTRIBUTES, ALLOWED_TAGS, readLink, readSource, readStyle } from './allow-list.ts'

/** Returns React elements for the nodes. Elements that are not allowed are replaced with their children. */
export function toReact(
  nodes: readonly HtmlNode[],
  showSpecial: ShowSpecial = () => undefined,
  parts: ContentParts = {},
): ReactNode[] {
  let count = 0
  const context: ShowContext = {
    parts,
    show: (inside) => inside.map((node, at) => showNode(node, at)),
    nextPart: () => String(count++),
  }
  return context.show(nodes)

  function showNode(node: HtmlNode, key: number): ReactNode {
    if (typeof node === 'string') return node
    const special = showSpecial(node, context)
    if (special !== undefined) return createElement(Fragment, { key }, special)
    const isNamed = showsEmojiNames.get()
    if (isNamed && isEmojiPicture(node)) return node.attributes.get('alt') ?? ''
    const emoji = isNamed ? null : emojiText(node)
    const children = emoji === null ? context.show(node.children) : [emoji]
    if (!ALLOWED_TAGS.has(node.tag)) return createElement(Fragment, { key }, ...children)
    return createElement(node.tag, { key, ...propsOf(node) }, ...children)
  }
}

const isEmojiPicture = (node: HtmlElement) => node.tag === 'img' && hasClass(node, 'emoji')

function propsOf(node: HtmlElement): Record<string, unknown> {
  const { tag, attributes } = node
  const props: Record<string, unknown> = {}
  for (const [name, value] of attributes) {
    const prop = ALLOWED_ATTRIBUTES.get(name)
    if (prop !== undefined) props[prop] = value
  }
  const style = attributes.get('style')
  if (style !== undefined) props['style'] = readStyle(style)
  if (tag === 'a') Object.assign(props, linkProps(attributes.get('href') ?? ''))
  if (tag === 'img' || tag === 'video') props['src'] = readSource(attributes.get('src') ?? '') ?? undefined
  if (tag === 'img') props['loading'] = 'lazy'
  if (tag === 'video') props['controls'] = true
  // Code can scroll horizontally, which must also work by keyboard.
  if (tag === 'pre') props['tabIndex'] = 0
  if (MARKED.has(tag)) props['dir'] = directionOf(node)
  return props
}

/** Blocks with numbers, bullets or a bar on the side where their text begins. */
const MARKED = new Set(['blockquote', 'ol', 'ul'])

/** Opens other sites and files in a new tab, so that the client stays open. */
function linkProps(href: string): Record<string, string> {
  const address = readLink(href)
  if (address === null) return {}
  const isElsewhere = /^https?:/i.test(address) || /^\/user_(?:uploads|avatars)\//.test(address)
  return isElsewhere ? { href: address, target: '_blank', rel: 'noopener noreferrer' } : { href: address }
}
