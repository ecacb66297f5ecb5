import type { Message } from '../../store/messages/message.ts'
import { t } from '../../text/t.ts'
import { decodeEntities } from '../../ui/message-html/decode-entities.ts'
import { type HtmlNode, parseHtml } from '../../ui/message-html/parse-html.ts'

/** The maximum length of the text in a notification, in characters. */
const MAX_LENGTH = 200

/** Block elements. Spaces separate their text from the text around them. */
const APART = new Set(['blockquote', 'br', 'div', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'li', 'p', 'pre', 'tr'])

/** Returns the text of a notification; `hidesDirect` leaves out the content of direct messages. */
export function notificationText(
  message: Message,
  { ownId, hidesDirect }: { ownId: number; hidesDirect: boolean },
): { title: string; body: string } {
  const { sender_full_name: sender, display_recipient: conversation, subject } = message
  if (typeof conversation === 'string')
    return {
      title: t('{sender} in #{conversation} › {subject}', {
        sender,
        conversation,
        subject: subject || t('general chat'),
      }),
      body: excerpt(message.content),
    }
  const others = conversation.filter(({ id }) => id !== ownId && id !== message.sender_id).map((one) => one.full_name)
  const title = others.length === 0 ? sender : t('{sender}, to you and {others}', { sender, others: others.join(', ') })
  return { title, body: hidesDirect ? t('New direct message') : excerpt(message.content) }
}

/**
 * Returns the beginning of a rendered message as plain text. Spoilers stay hidden, and formulas are shown as source.
 */
export function excerpt(html: string): string {
  const text = textOf(parseHtml(html, decodeEntities)).replace(/\s+/g, ' ').trim()
  const characters = Array.from(text)
  return characters.length <= MAX_LENGTH ? text : `${characters.slice(0, MAX_LENGTH).join('').trimEnd()} …`
}

const textOf = (nodes: readonly HtmlNode[]): string => nodes.map(textOfNode).join('')

function textOfNode(node: HtmlNode): string {
  if (typeof node === 'string') return node
  const { tag, attributes, children } = node
  const classes = (attributes.get('class') ?? '').split(' ')
  if (classes.includes('spoiler-content')) return ` (${t('hidden')}) `
  if (classes.includes('emoji')) return emojiOf(classes) ?? attributes.get('alt') ?? textOf(children)
  if (classes.includes('katex')) return formulaOf(children) ?? textOf(children)
  const text = textOf(children)
  return APART.has(tag) ? ` ${text} ` : text
}

function emojiOf(classes: readonly string[]): string | null {
  const code = classes.find((name) => /^emoji-[\da-f]+(?:-[\da-f]+)*$/.test(name))?.slice('emoji-'.length)
  if (code === undefined) return null
  return String.fromCodePoint(...code.split('-').map((point) => Number.parseInt(point, 16)))
}

function formulaOf(nodes: readonly HtmlNode[]): string | null {
  for (const node of nodes) {
    if (typeof node === 'string') continue
    const found = node.tag === 'annotation' ? textOf(node.children) : formulaOf(node.children)
    if (found !== null) return found
  }
  return null
}
