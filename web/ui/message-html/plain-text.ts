import { decodeEntities } from './decode-entities.ts'
import { emojiText } from './emoji-text.ts'
import { classesOf, isElement } from './html-node.ts'
import { type HtmlNode, parseHtml } from './parse-html.ts'

/** The maximum length of a preview, in characters. */
const MAX = 200

/** Returns the beginning of a message's text in one line, for example for a preview. */
export function plainText(html: string): string {
  const text = parseHtml(html, decodeEntities).map(textOf).join('')
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX)
}

function textOf(node: HtmlNode): string {
  if (!isElement(node)) return node
  const { tag, attributes, children } = node
  if (tag === 'img') return attributes.get('alt') ?? ''
  if (classesOf(node).includes('message_embed')) return ''
  // A formula occurs twice: as displayed, and as its source.
  if (classesOf(node).includes('katex-html')) return ''
  if (classesOf(node).includes('emoji')) return emojiText(node) ?? children.map(textOf).join('')
  const text = children.map(textOf).join('')
  return BLOCKS.has(tag) ? ` ${text} ` : text
}

const BLOCKS = new Set(['blockquote', 'br', 'div', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'p', 'pre', 'td', 'th'])
