import type { MessageJson } from '#messages/message.ts'
import { isResolved, RESOLVED_PREFIX } from '#rules/topics.ts'
import { conversationPath, toMailContent } from './content/message-text.ts'

// The text of a notification. All of it is encrypted for the browser; a spoiler stays hidden, because others may see
// the screen.

/** The maximum length of the message text in a notification, in characters. */
const MAX_LENGTH = 200

/** The content of a notification, and the path that it opens. All of it is sent encrypted. */
export type PushContent = {
  title: string
  body: string
  /** The same for every notification of a message, so that a browser shows only one. */
  tag: string
  path: string
  icon: string | null
}

type Reading = {
  readerId: number
  /** The URL of the organization. */
  url: string
  /** The name of the topic; '' if the message has none. */
  topic: string
  hidesDirect: boolean
}

/** Returns the notification as plain text. Spoilers stay hidden, and formulas appear as their source. */
export function pushContentOf(message: MessageJson, { readerId, url, topic, hidesDirect }: Reading): PushContent {
  const isHidden = hidesDirect && typeof message.display_recipient !== 'string'
  return {
    title: titleOf(message, readerId),
    body: isHidden ? 'New direct message' : cut(toMailContent(message.content, url).text),
    tag: `message ${message.id}`,
    path: conversationPath(message, topic, readerId),
    // Loading a picture from another server would reveal to it who writes to whom.
    icon: message.avatar_url?.startsWith('/') === true ? message.avatar_url : null,
  }
}

function titleOf({ sender_full_name, sender_id, display_recipient, subject }: MessageJson, readerId: number): string {
  if (typeof display_recipient === 'string') {
    const topic = isResolved(subject) ? subject.slice(RESOLVED_PREFIX.length) : subject
    return `${sender_full_name} in #${display_recipient} › ${topic}`
  }
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
