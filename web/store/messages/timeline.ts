import type { Message } from './message.ts'

/** A stretch of the messages of a narrow without gaps, the oldest first. */
export type Timeline = {
  readonly messages: readonly Message[]
  /** Whether the narrow has nothing older, and nothing newer. */
  readonly hasOldest: boolean
  readonly hasNewest: boolean
}

/** How many messages a stretch holds before it gives up those at its other end. */
export const MAX_KEPT = 400

/** With a page of older messages; newer ones are given up where they are too many. */
export function withOlder(known: Timeline, page: Timeline): Timeline {
  const messages = join(page.messages, known.messages)
  return {
    messages: messages.slice(0, MAX_KEPT),
    hasOldest: page.hasOldest,
    hasNewest: known.hasNewest && messages.length <= MAX_KEPT,
  }
}

/** With a page of newer messages; older ones are given up where they are too many. */
export function withNewer(known: Timeline, page: Timeline): Timeline {
  const messages = join(known.messages, page.messages)
  return {
    messages: messages.slice(-MAX_KEPT),
    hasOldest: known.hasOldest && messages.length <= MAX_KEPT,
    hasNewest: page.hasNewest,
  }
}

/** With a message that has just arrived, where the stretch reaches to the newest. */
export function withArrived(known: Timeline, message: Message): Timeline {
  if (!known.hasNewest || known.messages.some(({ id }) => id === message.id)) return known
  return { ...known, messages: join(known.messages, [message]) }
}

/** Without the oldest of too many messages. */
export const shortened = (known: Timeline): Timeline =>
  known.messages.length <= MAX_KEPT ? known : { ...known, messages: known.messages.slice(-MAX_KEPT), hasOldest: false }

/** Both, in the order of their ids, each once. */
function join(older: readonly Message[], newer: readonly Message[]): Message[] {
  const byId = new Map([...older, ...newer].map((message) => [message.id, message]))
  return [...byId.values()].sort((one, other) => one.id - other.id)
}
