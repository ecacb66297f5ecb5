import { replaceEqualDeep } from '@tanstack/react-query'
import { createAtom } from '@tanstack/react-store'
import type { Message } from './message.ts'
import type { Narrow } from './narrow.ts'

/** Consecutive messages of a narrow, oldest first. */
export type Timeline = {
  readonly messages: readonly Message[]
  /** `hasOldest` is true if the narrow has no older messages, and `hasNewest` is true if it has no newer ones. */
  readonly hasOldest: boolean
  readonly hasNewest: boolean
  /** The number of times that the timeline was reopened at its opening position while it was shown. */
  readonly reopenings?: number
}

/** The minimum number of messages that `trimmed` leaves in a timeline. */
export const MAX_KEPT = 200

/**
 * Adds a page of messages before the message `anchor`. If messages were dropped while the page was loading, the
 * timeline no longer begins with the anchor. It then stays as it is, because messages between the page and the timeline
 * would be missing.
 */
export const withOlder = (timeline: Timeline, page: Timeline, anchor: number): Timeline =>
  timeline.messages[0]?.id !== anchor
    ? timeline
    : { ...timeline, messages: join(page.messages, timeline.messages), hasOldest: page.hasOldest }

/** Adds a page of messages after the message `anchor`, if the timeline still ends with that message. */
export const withNewer = (timeline: Timeline, page: Timeline, anchor: number): Timeline =>
  timeline.messages.at(-1)?.id !== anchor
    ? timeline
    : { ...timeline, messages: join(timeline.messages, page.messages), hasNewest: page.hasNewest }

/** Adds a new message, if the timeline reaches the newest one. */
export function withArrived(timeline: Timeline, message: Message): Timeline {
  const { messages, hasNewest } = timeline
  if (!hasNewest || messages.some(({ id }) => id === message.id)) return timeline
  const isNewest = (messages.at(-1)?.id ?? 0) < message.id
  return { ...timeline, messages: isNewest ? [...messages, message] : join(messages, [message]) }
}

/**
 * Returns the timeline `after`, with the objects of `before` for messages that have not changed. By default, queries
 * compare the items of lists by position: one more message at the start would turn all messages into new objects and
 * render them again.
 */
export function withSharedMessages(before: Timeline | undefined, after: Timeline): Timeline {
  if (before === undefined) return after
  const byId = new Map(before.messages.map((message) => [message.id, message]))
  const messages = after.messages.map((message) => {
    const same = byId.get(message.id)
    return same === undefined || same === message ? message : replaceEqualDeep(same, message)
  })
  const isSame = messages.length === before.messages.length && messages.every((one, at) => one === before.messages[at])
  const hasSameEnds = after.hasOldest === before.hasOldest && after.hasNewest === before.hasNewest
  if (isSame && hasSameEnds && after.reopenings === before.reopenings) return before
  return { ...after, messages: isSame ? before.messages : messages }
}

/** Changes the messages with the ids. Returns the same object if the timeline has no such message. */
export function withChanged(
  timeline: Timeline,
  ids: ReadonlySet<number>,
  change: (message: Message) => Message,
): Timeline {
  const first = timeline.messages.findIndex(({ id }) => ids.has(id))
  if (first === -1) return timeline
  const messages = [...timeline.messages]
  let isChanged = false
  for (let at = first; at < messages.length; at += 1) {
    const message = messages[at]!
    if (!ids.has(message.id)) continue
    messages[at] = change(message)
    isChanged ||= messages[at] !== message
  }
  return isChanged ? { ...timeline, messages } : timeline
}

/** Drops at most `count` messages at one end, and leaves at least `MAX_KEPT`. */
export function trimmed(timeline: Timeline, end: 'oldest' | 'newest', count: number): Timeline {
  const { messages } = timeline
  const dropped = Math.min(count, messages.length - MAX_KEPT)
  if (dropped <= 0) return timeline
  return end === 'oldest'
    ? { ...timeline, messages: messages.slice(dropped), hasOldest: false }
    : { ...timeline, messages: messages.slice(0, -dropped), hasNewest: false }
}

/** Merges messages without duplicates, and sorts them by id. */
function join(older: readonly Message[], newer: readonly Message[]): Message[] {
  const byId = new Map([...older, ...newer].map((message) => [message.id, message]))
  return [...byId.values()].sort((one, other) => one.id - other.id)
}

type Arrival = { readonly message: Message; readonly belongsTo: (narrow: Narrow) => boolean }

/** The maximum number of messages to remember. Fewer arrive during one request. */
const MAX_COUNT = 200

const arrivals = createAtom<readonly Arrival[]>([])

/** Remembers a new message. `belongsTo` accepts the narrows that contain it. */
export function addArrival(message: Message, belongsTo: (narrow: Narrow) => boolean): void {
  arrivals.set((known) => [...known, { message, belongsTo }].slice(-MAX_COUNT))
}

/** Forgets messages that were moved or deleted since they arrived. */
export function removeArrivals(ids: readonly number[]): void {
  arrivals.set((known) => known.filter(({ message }) => !ids.includes(message.id)))
}

/** Adds the messages that have arrived since the server read those of its response. */
export function withLatest(answered: Timeline, narrow: Narrow): Timeline {
  const newestId = answered.messages.at(-1)?.id ?? 0
  return arrivals
    .get()
    .filter(({ message, belongsTo }) => message.id > newestId && belongsTo(narrow))
    .reduce((timeline, { message }) => withArrived(timeline, message), answered)
}

/**
 * Changes a message. Returns null if the message is no longer in the narrow. May be called twice for the same message.
 */
type Change = (message: Message, narrow: Narrow) => Message | null

/** A log for each request that has no response yet, with the changes since its start. */
const logs = new Set<Change[]>()

/** Records a change that an event reports, for the requests that have no response yet. */
export function noteChange(change: Change): void {
  for (const log of logs) log.push(change)
}

/**
 * Loads messages of a narrow, and applies the changes that events report while the request runs. The server may have
 * read the messages before these changes.
 */
export async function withChangesMeanwhile(narrow: Narrow, load: () => Promise<Timeline>): Promise<Timeline> {
  const log: Change[] = []
  logs.add(log)
  try {
    const timeline = await load()
    return log.length === 0 ? timeline : { ...timeline, messages: changed(timeline.messages, narrow, log) }
  } finally {
    logs.delete(log)
  }
}

const changed = (messages: readonly Message[], narrow: Narrow, log: readonly Change[]): Message[] =>
  messages.flatMap(
    (message) => log.reduce<Message | null>((known, change) => known && change(known, narrow), message) ?? [],
  )
