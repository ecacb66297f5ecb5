import { type ComponentType, createElement, type ReactNode } from 'react'
import { ALLOWED_ATTRIBUTES, ALLOWED_TAGS, readLink, readSource, readStyle } from './allow-list.ts'
import type { HtmlElement, HtmlNode } from './parse-html.ts'

/** A code block in a message; `language` is the server's name for it, empty if there is none. */
export type Code = { language: string; text: string }

/**
 * React elements for what is allowed of these nodes; of any other element only what stands in it. `CodeTools` follow each
 * piece of code, if given.
 */
export function toReact(nodes: readonly HtmlNode[], CodeTools?: ComponentType<Code>): ReactNode[] {
  return nodes.map((node, at) => {
    if (typeof node === 'string') return node
    const children = emojiOf(node) ?? toReact(node.children, CodeTools)
    if (!ALLOWED_TAGS.has(node.tag)) return children
    if (CodeTools !== undefined && isCode(node)) children.push(createElement(CodeTools, codeOf(node)))
    return createElement(node.tag, { key: at, ...propsOf(node) }, ...children)
  })
}

const isCode = ({ tag, attributes }: HtmlElement) => tag === 'div' && attributes.get('class') === 'codehilite'

const codeOf = (node: HtmlElement): Code => ({
  language: node.attributes.get('data-code-language') ?? '',
  text: textOf(node).replace(/\n$/, ''),
})

const textOf = (node: HtmlNode): string => (typeof node === 'string' ? node : node.children.map(textOf).join(''))

/** Returns the characters of an emoji from the code points in its class; null for any other element. */
function emojiOf({ tag, attributes }: HtmlElement): ReactNode[] | null {
  const codes =
    tag === 'span' ? /(?:^| )emoji-([\da-f]{2,6}(?:-[\da-f]{2,6})*)(?: |$)/.exec(attributes.get('class') ?? '') : null
  if (codes === null) return null
  const points = codes[1]!.split('-').map((code) => Number.parseInt(code, 16))
  return points.every((point) => point <= 0x10ffff) ? [String.fromCodePoint(...points)] : null
}

function propsOf({ tag, attributes, children }: HtmlElement): Record<string, unknown> {
  const props: Record<string, unknown> = {}
  for (const [name, value] of attributes) {
    const prop = ALLOWED_ATTRIBUTES.get(name)
    if (prop !== undefined) props[prop] = value
  }
  const style = attributes.get('style')
  if (style !== undefined) props['style'] = readStyle(style)
  if (tag === 'a') Object.assign(props, linkProps(attributes.get('href') ?? '', children.some(isMedia)))
  if (tag === 'img' || tag === 'video') props['src'] = readSource(attributes.get('src') ?? '') ?? undefined
  if (tag === 'video') props['controls'] = true
  // Both can scroll horizontally, which must also work by keyboard.
  if (tag === 'pre' || tag === 'table') props['tabIndex'] = 0
  return props
}

const isMedia = (node: HtmlNode) => typeof node !== 'string' && (node.tag === 'img' || node.tag === 'video')

/** Opens other sites and files in a new tab, so that the client stays open. */
function linkProps(href: string, isOfMedia: boolean): Record<string, string> {
  const address = readLink(href)
  if (address === null) return {}
  const isElsewhere = isOfMedia || /^https?:/i.test(address) || address.startsWith('/user_uploads/')
  return isElsewhere ? { href: address, target: '_blank', rel: 'noopener noreferrer' } : { href: address }
}
