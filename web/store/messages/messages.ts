import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { queryClient } from '../query-client.ts'
import { addArrival, withLatest } from './arrivals.ts'
import type { Message } from './message.ts'
import { type Narrow, toTerms } from './narrow.ts'
import { type Timeline, withArrived, withNewer, withOlder } from './timeline.ts'

/** Where one begins to read: at what is not read, at what is newest, or around a message. */
export type Opening = 'first_unread' | 'newest' | number

type TimelineKey = readonly ['messages', Narrow, Opening]

/** How many messages are asked for at once. */
export const PAGE = 50

const keyOf = (narrow: Narrow, opening: Opening): TimelineKey => ['messages', narrow, opening]

/** The messages of a narrow as they are at first; events and `loadOlder` and `loadNewer` change them. */
export const timeline = (narrow: Narrow, opening: Opening) =>
  queryOptions({
    queryKey: keyOf(narrow, opening),
    queryFn: ({ signal }) => {
      const known = queryClient.getQueryData<Timeline>(keyOf(narrow, opening))
      const oldest = known?.messages[0]
      if (known === undefined || oldest === undefined) return fetchRange(narrow, String(opening), PAGE, PAGE, signal)
      return fetchRange(narrow, String(oldest.id), known.hasOldest ? PAGE : 0, known.messages.length + PAGE, signal)
    },
  })

/** Forgets a stretch that does not reach to the newest message, so that opening it begins anew. */
export function dropDistantPages(narrow: Narrow, opening: Opening): void {
  const queryKey = keyOf(narrow, opening)
  if (queryClient.getQueryData<Timeline>(queryKey)?.hasNewest === false) queryClient.removeQueries({ queryKey })
}

/** Adds what is older than the stretch that is known; rejects with `ApiError`. */
export async function loadOlder(narrow: Narrow, opening: Opening): Promise<void> {
  const oldest = queryClient.getQueryData<Timeline>(keyOf(narrow, opening))?.messages[0]
  if (oldest === undefined) return
  const page = await fetchRange(narrow, String(oldest.id), PAGE, 0)
  updateTimeline(narrow, opening, (known) => withOlder(known, page))
}

/** Adds what is newer than the stretch that is known; rejects with `ApiError`. */
export async function loadNewer(narrow: Narrow, opening: Opening): Promise<void> {
  const newest = queryClient.getQueryData<Timeline>(keyOf(narrow, opening))?.messages.at(-1)
  if (newest === undefined) return
  const page = await fetchRange(narrow, String(newest.id), 0, PAGE)
  updateTimeline(narrow, opening, (known) => withNewer(known, page))
}

/** Asks for messages around an anchor, with those that arrived meanwhile; rejects with `ApiError`. */
export async function fetchRange(
  narrow: Narrow,
  anchor: string,
  before: number,
  after: number,
  signal?: AbortSignal,
): Promise<Timeline> {
  const range = { anchor, num_before: before, num_after: after }
  const form = { client_gravatar: false, allow_empty_topic_name: true }
  const answer = await call('GET /messages', { ...range, narrow: toTerms(narrow), ...form }, signal && { signal })
  const { messages, found_oldest: hasOldest = false, found_newest: hasNewest = false } = answer
  return withLatest({ messages, hasOldest, hasNewest }, narrow)
}

/** A message of any stretch that is known. */
export const findMessage = (id: number): Message | undefined =>
  queryClient
    .getQueriesData<Timeline>({ queryKey: ['messages'] })
    .flatMap(([, known]) => known?.messages ?? [])
    .find((message) => message.id === id)

/** The messages of all known stretches of the narrows for which `isMeant` says so. */
export const cachedMessages = (matches: (narrow: Narrow) => boolean): Message[] =>
  queryClient
    .getQueriesData<Timeline>({ queryKey: ['messages'] })
    .filter(([key]) => matches((key as unknown as TimelineKey)[1]))
    .flatMap(([, known]) => known?.messages ?? [])

/** Changes one stretch of messages, where it is known. */
export function updateTimeline(narrow: Narrow, opening: Opening, change: (known: Timeline) => Timeline): void {
  queryClient.setQueryData<Timeline>(keyOf(narrow, opening), (known) => known && change(known))
}

/** Changes all known stretches of messages, those that `change` returns as they were excepted. */
export function updateTimelines(change: (known: Timeline, narrow: Narrow) => Timeline): void {
  for (const [key, known] of queryClient.getQueriesData<Timeline>({ queryKey: ['messages'] })) {
    const changed = known && change(known, (key as unknown as TimelineKey)[1])
    if (changed !== known) queryClient.setQueryData(key, changed)
  }
}

/** Adds a message that has just arrived to the stretches that it belongs to. */
export function addMessage(message: Message, belongsTo: (narrow: Narrow) => boolean): void {
  addArrival(message, belongsTo)
  updateTimelines((known, narrow) => (belongsTo(narrow) ? withArrived(known, message) : known))
}

/** Changes the messages with these ids wherever they are known. */
export function updateMessages(ids: readonly number[], change: (message: Message) => Message): void {
  const target = new Set(ids)
  updateTimelines((known) =>
    known.messages.some(({ id }) => target.has(id))
      ? { ...known, messages: known.messages.map((message) => (target.has(message.id) ? change(message) : message)) }
      : known,
  )
}

/** Takes the messages away for which `isGone` says so. */
export function removeMessages(isGone: (message: Message, narrow: Narrow) => boolean): void {
  updateTimelines((known, narrow) => {
    const messages = known.messages.filter((message) => !isGone(message, narrow))
    return messages.length === known.messages.length ? known : { ...known, messages }
  })
}

/** Asks anew for what is known of the narrows for which `isMeant` says so: messages came to be there out of their order. */
export function refreshTimelines(matches: (narrow: Narrow) => boolean): void {
  void queryClient.invalidateQueries({
    queryKey: ['messages'],
    predicate: ({ queryKey }) => matches((queryKey as unknown as TimelineKey)[1]),
  })
}
