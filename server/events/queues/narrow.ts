import { normalizeTopic, topicKey } from '#channels/topic.ts'
import { isResolved } from '#rules/topics.ts'
import type { LoggedEvent } from './event-queue.ts'

/** The operators of a queue's narrow, under the names that clients send. */
export const narrowOperators = ['stream', 'channel', 'topic', 'subject', 'sender', 'is', 'dm', 'pm-with'] as const

/** The operands of `is` in a queue's narrow. */
export const narrowTraits = ['dm', 'private', 'starred', 'unread', 'mentioned', 'alerted', 'resolved'] as const

type Message = {
  type: string
  subject: string
  sender_id: number
  sender_email: string
  stream_id?: number
  display_recipient: string | Person[]
}

type Person = { id: number; email: string }

/** Returns true if a message event matches every term of a queue's narrow. */
export function passesNarrow(
  payload: LoggedEvent['payload'],
  narrow: readonly (readonly [string, string])[],
  userId: number,
): boolean {
  const message = payload['message'] as Message
  const flags = payload['flags'] as readonly string[]
  return narrow.every(([operator, operand]) => fits(message, flags, operator, operand, userId))
}

function fits(message: Message, flags: readonly string[], operator: string, operand: string, userId: number): boolean {
  switch (operator) {
    case 'stream':
    case 'channel':
      return message.type === 'stream' && isChannel(message, operand)
    case 'topic':
    case 'subject':
      return message.type === 'stream' && topicKey(message.subject) === topicKey(normalizeTopic(operand))
    case 'sender':
      return isBy(message, operand === 'me' ? String(userId) : operand)
    case 'is':
      return hasTrait(message, flags, operand)
    case 'dm':
    case 'pm-with':
      return isWith(message, operand, userId)
    default:
      return false
  }
}

const isBy = ({ sender_id, sender_email }: Message, operand: string) =>
  sender_email.toLowerCase() === operand.toLowerCase() || String(sender_id) === operand

function isChannel({ display_recipient, stream_id }: Message, operand: string): boolean {
  return String(display_recipient).toLowerCase() === operand.toLowerCase() || String(stream_id) === operand
}

function hasTrait({ type, subject }: Message, flags: readonly string[], trait: string): boolean {
  switch (trait) {
    case 'dm':
    case 'private':
      return type === 'private'
    case 'starred':
      return flags.includes('starred')
    case 'unread':
      return !flags.includes('read')
    case 'mentioned':
      return flags.some((flag) => flag === 'mentioned' || flag.endsWith('wildcard_mentioned'))
    case 'alerted':
      return flags.includes('has_alert_word')
    case 'resolved':
      return isResolved(subject)
    default:
      return false
  }
}

/**
 * Returns true if the message belongs to the direct conversation with these users. The operand contains ids or email
 * addresses, separated by commas. It may include the user or not.
 */
function isWith({ type, display_recipient }: Message, operand: string, userId: number): boolean {
  if (type !== 'private' || typeof display_recipient === 'string') return false
  const wanted = operand.split(',').map((name) => name.trim().toLowerCase())
  const isWanted = ({ id, email }: Person) => wanted.includes(String(id)) || wanted.includes(email.toLowerCase())
  const isNamed = (name: string) =>
    display_recipient.some(({ id, email }) => name === String(id) || name === email.toLowerCase())
  const others = display_recipient.filter(({ id }) => display_recipient.length === 1 || id !== userId)
  return others.every(isWanted) && wanted.every(isNamed)
}
