import { type HtmlElement, type HtmlNode, hasClass, isBlank, isElement } from './parse-html.ts'

/** Returns the characters of the emoji with these code points, such as "1f44d", in its graphical form; else "". */
export function toCharacters(code: string): string {
  const points = code.split('-').map((point) => Number.parseInt(point, 16))
  if (points.some((point) => !(point <= 0x10ffff))) return ''
  const parts = points.map((point) => String.fromCodePoint(point))
  return parts.map((part, at) => (isText(part) && !isSkinTone(parts[at + 1]) ? `${part}\ufe0f` : part)).join('')
}

/** Returns true if the character is only shown as an emoji in front of a variation selector or a skin tone. */
const isText = (part: string) => /^(?=\p{Emoji})\P{Emoji_Presentation}$/u.test(part)
const isSkinTone = (part = '') => /^\p{Emoji_Modifier}$/u.test(part)

/** Returns the characters of an emoji from the code points in its class; null for any other element. */
export function emojiText({ tag, attributes }: HtmlElement): string | null {
  const codes =
    tag === 'span' ? /(?:^| )emoji-([\da-f]{2,6}(?:-[\da-f]{2,6})*)(?: |$)/.exec(attributes.get('class') ?? '') : null
  return codes === null ? null : toCharacters(codes[1]!) || null
}

const MAX_BIG = 3

/** Returns true if a message is one paragraph of one to three emoji. Such emoji are shown big. */
export function isBigEmoji(nodes: readonly HtmlNode[]): boolean {
  const [paragraph, ...others] = nodes.filter((node) => !isBlank(node))
  if (!isElement(paragraph) || paragraph.tag !== 'p' || others.length > 0) return false
  const shown = paragraph.children.filter((node) => !isBlank(node))
  return shown.length > 0 && shown.length <= MAX_BIG && shown.every((node) => hasClass(node, 'emoji'))
}
