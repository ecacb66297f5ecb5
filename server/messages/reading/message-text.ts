import type { Message } from '../message.ts'
import { type MessageContext, type MessageFormat, toMessageJson } from './message-json.ts'

export type MessageText = {
  /** All fields of the message but its flags, as JSON. */
  shared: string
  /** The Markdown, as JSON. */
  rawContent: string
}

type Kept = MessageText & { context: MessageContext; format: MessageFormat }

const texts = new WeakMap<Message, Kept>()

/**
 * A message as JSON. The text last made of a message is used again for as long as all that it is made of is the very
 * same: what is kept of the database is replaced when it changes, never changed.
 */
export function messageText(message: Message, context: MessageContext, format: MessageFormat): MessageText {
  const kept = texts.get(message)
  if (kept !== undefined && isSame(kept.context, context) && isSame(kept.format, format)) return kept
  const shared = JSON.stringify(toMessageJson(message, context, format)).slice(1, -1)
  const made = { shared, rawContent: JSON.stringify(message.content), context, format }
  texts.set(message, made)
  return made
}

function isSame<Values extends object>(one: Values, other: Values): boolean {
  for (const name in one) if (one[name] !== other[name]) return false
  return true
}
