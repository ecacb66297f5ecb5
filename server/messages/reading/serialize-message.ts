import type { Message } from '../message.ts'
import { type MessageContext, type MessageFormat, toMessageJson } from './message-json.ts'

type SerializedMessage = {
  /** All fields of the message except its flags, as JSON without the enclosing braces. */
  sharedFields: string
  /** The Markdown source, as JSON. */
  rawContent: string
}

type Result = SerializedMessage & { context: MessageContext; format: MessageFormat }

const lastResults = new WeakMap<Message, Result>()

/**
 * Serializes a message. The last result is reused while the context and the format contain identical objects. This is
 * correct because cached rows are replaced when they change, never mutated.
 */
export function serializeMessage(message: Message, context: MessageContext, format: MessageFormat): SerializedMessage {
  const last = lastResults.get(message)
  if (last !== undefined && isSame(last.context, context) && isSame(last.format, format)) return last
  const sharedFields = JSON.stringify(toMessageJson(message, context, format)).slice(1, -1)
  const result = { sharedFields, rawContent: JSON.stringify(message.content), context, format }
  lastResults.set(message, result)
  return result
}

function isSame<Values extends object>(one: Values, other: Values): boolean {
  for (const name in one) if (one[name] !== other[name]) return false
  return true
}
