import { toMailContent } from '../../messages/missed/mail-content.ts'
import { conversationPath } from '../../messages/missed/wording.ts'
import type { MessageJson } from '../../messages/reading/message-json.ts'

/** How much of a message a notice shows, in characters. */
const MAX_LENGTH = 200

/** What a browser shows of a message, and where it leads; all of it goes encrypted. */
export type PushContent = {
  title: string
  body: string
  /** Of the same message in every notice, from whatever sends it: a browser shows one of them. */
  tag: string
  path: string
  icon: string | null
}

type Reading = {
  readerId: number
  /** Where the organization is. */
  url: string
  /** The topic's own name, if the message has any. */
  topic: string
  hidesDirect: boolean
}

/** Plain text; spoilers stay hidden, formulas are their source. */
export function pushContentOf(message: MessageJson, { readerId, url, topic, hidesDirect }: Reading): PushContent {
  const isHidden = hidesDirect && typeof message.display_recipient !== 'string'
  return {
    title: titleOf(message, readerId),
    body: isHidden ? 'A direct message' : cut(toMailContent(message.content, url).text),
    tag: `message ${message.id}`,
    path: conversationPath(message, topic, readerId),
    icon: message.avatar_url,
  }
}

function titleOf({ sender_full_name, sender_id, display_recipient, subject }: MessageJson, readerId: number): string {
  if (typeof display_recipient === 'string') return `${sender_full_name} in #${display_recipient} › ${subject}`
  const others = display_recipient.filter(({ id }) => id !== readerId && id !== sender_id)
  if (others.length === 0) return sender_full_name
  return `${sender_full_name}, to you and ${others.map(({ full_name }) => full_name).join(', ')}`
}

function cut(text: string): string {
  const characters = Array.from(text.replace(/\s+/g, ' ').trim())
  return characters.length <= MAX_LENGTH
    ? characters.join('')
    : `${characters.slice(0, MAX_LENGTH).join('').trimEnd()} …`
}
