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

/** The maximum number of messages in a timeline; further ones are dropped at the other end. */
export const MAX_KEPT = 400

/** Adds a page of older messages; drops the newest ones if there are too many. */
export function withOlder(known: Timeline, page: Timeline): Timeline {
  const messages = join(page.messages, known.messages)
  return {
    ...known,
    messages: messages.slice(0, MAX_KEPT),
    hasOldest: page.hasOldest,
    hasNewest: known.hasNewest && messages.length <= MAX_KEPT,
  }
}

/** Adds a page of newer messages; drops the oldest ones if there are too many. */
export function withNewer(known: Timeline, page: Timeline): Timeline {
  const messages = join(known.messages, page.messages)
  return {
    ...known,
    messages: messages.slice(-MAX_KEPT),
    hasOldest: known.hasOldest && messages.length <= MAX_KEPT,
    hasNewest: page.hasNewest,
  }
}

/** Adds a new message, if the timeline reaches the newest one. */
export function withArrived(known: Timeline, message: Message): Timeline {
  if (!known.hasNewest || known.messages.some(({ id }) => id === message.id)) return known
  return { ...known, messages: join(known.messages, [message]) }
}

/** Drops the oldest messages if there are too many. */
export const shortened = (known: Timeline): Timeline =>
  known.messages.length <= MAX_KEPT ? known : { ...known, messages: known.messages.slice(-MAX_KEPT), hasOldest: false }

/** Merges messages in the order of their ids, without duplicates. */
function join(older: readonly Message[], newer: readonly Message[]): Message[] {
  const byId = new Map([...older, ...newer].map((message) => [message.id, message]))
  return [...byId.values()].sort((one, other) => one.id - other.id)
}
