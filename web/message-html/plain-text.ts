import { t } from '../text/t.ts'
import { formatMoment, hourCycle } from '../ui/moments.ts'
import { emojiText } from './emoji-text.ts'
import { classesOf, decodeEntities, findInside, type HtmlNode, isElement, parseHtml } from './parse-html.ts'

/** The maximum length of the text, in characters. */
const MAX = 200

/**
 * Returns the beginning of a message's text in one line, for previews and notifications. Spoilers stay hidden, and
 * formulas are shown as source. Times are shown as in the message.
 */
export function plainText(html: string): string {
  const text = parseHtml(html, decodeEntities).map(textOf).join('').replace(/\s+/g, ' ').trim()
  const characters = Array.from(text)
  return characters.length <= MAX ? text : `${characters.slice(0, MAX).join('').trimEnd()} …`
}

function textOf(node: HtmlNode): string {
  if (!isElement(node)) return node
  const { tag, attributes, children } = node
  if (tag === 'img') return attributes.get('alt') ?? ''
  const classes = classesOf(node)
  if (classes.includes('message_embed')) return ''
  if (classes.includes('spoiler-content')) return ` (${t('hidden')}) `
  if (tag === 'time') {
    const at = Date.parse(attributes.get('datetime') ?? '')
    if (!Number.isNaN(at)) return formatMoment(at, Date.now(), hourCycle.get() === 'h23')
  }
  // A formula occurs twice: as displayed, and as its source.
  const source = classes.includes('katex') ? findInside(node, (inside) => inside.tag === 'annotation') : undefined
  if (classes.includes('emoji')) return emojiText(node) ?? children.map(textOf).join('')
  const inner = (source ?? node).children.map(textOf).join('')
  const isPath = classes.includes('stream-topic') || classes.includes('message-link')
  const text = isPath ? inner.replace(' > ', ' › ').replace(/ @ 💬$/, '') : inner
  return BLOCKS.has(tag) ? ` ${text} ` : text
}

const BLOCKS = new Set([
  'blockquote',
  'br',
  'div',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'hr',
  'li',
  'p',
  'pre',
  'td',
  'th',
])
