import type { Message } from './message.ts'

/** Consecutive messages of a narrow, oldest first. */
export type Timeline = {
  readonly messages: readonly Message[]
  /** True if the narrow has no older, or no newer messages. */
  readonly hasOldest: boolean
  readonly hasNewest: boolean
  /** Counts how often the timeline was opened anew, at its opening position, while it was shown. */
  readonly reopenings?: number
}

/** The number of messages in a timeline beyond which `trimmed` drops some at the end that the user is farther from. */
export const MAX_KEPT = 400

/** Adds a page of older messages. */
export const withOlder = (known: Timeline, page: Timeline): Timeline => ({
  ...known,
  messages: join(page.messages, known.messages),
  hasOldest: page.hasOldest,
})

/** Adds a page of newer messages. */
export const withNewer = (known: Timeline, page: Timeline): Timeline => ({
  ...known,
  messages: join(known.messages, page.messages),
  hasNewest: page.hasNewest,
})

/** Adds a new message, if the timeline reaches the newest one. */
export function withArrived(known: Timeline, message: Message): Timeline {
  const { messages, hasNewest } = known
  if (!hasNewest || messages.some(({ id }) => id === message.id)) return known
  const isNewest = (messages.at(-1)?.id ?? 0) < message.id
  return { ...known, messages: isNewest ? [...messages, message] : join(messages, [message]) }
}

/** Drops at most `count` of the messages beyond `MAX_KEPT` at one end. */
export function trimmed(known: Timeline, end: 'oldest' | 'newest', count: number): Timeline {
  const { messages } = known
  const dropped = Math.min(count, messages.length - MAX_KEPT)
  if (dropped <= 0) return known
  return end === 'oldest'
    ? { ...known, messages: messages.slice(dropped), hasOldest: false }
    : { ...known, messages: messages.slice(0, -dropped), hasNewest: false }
}

/** Merges messages in the order of their ids, without duplicates. */
function join(older: readonly Message[], newer: readonly Message[]): Message[] {
  const byId = new Map([...older, ...newer].map((message) => [message.id, message]))
  return [...byId.values()].sort((one, other) => one.id - other.id)
}
