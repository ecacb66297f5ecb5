import { queryOptions } from '@tanstack/react-query'
import { createAtom } from '@tanstack/react-store'
import { call } from '../api/call.ts'
import { currentOrganization } from '../store/organization.ts'
import { CONVERSATIONS_KEPT_FOR, queryClient, replaceQueryData } from '../store/query-client.ts'
import type { Message } from './message.ts'
import { type ConversationRef, type Narrow, toTerms } from './narrow.ts'
import {
  addArrival,
  noteChange,
  type Timeline,
  withArrived,
  withChanged,
  withChangesMeanwhile,
  withLatest,
  withNewer,
  withOlder,
  withSharedMessages,
} from './timeline.ts'
import { conversationKey, type UnreadConversation, unreadStore } from './unread.ts'

/** The position at which a timeline opens: the first unread message, the newest one, or a given one. */
export type Opening = 'first_unread' | 'newest' | number

type TimelineKey = readonly ['messages', Narrow, Opening]

/** The number of messages that a request loads before or after its anchor. */
const PAGE = 50

const keyOf = (narrow: Narrow, opening: Opening): TimelineKey => ['messages', narrow, opening]

queryClient.setQueryDefaults(['messages'], {
  gcTime: CONVERSATIONS_KEPT_FOR,
  structuralSharing: (before, after) => withSharedMessages(before as Timeline | undefined, after as Timeline),
})

/**
 * Returns the query for the messages around the opening position of a narrow. Events, `loadOlder` and `loadNewer`
 * change its messages.
 */
export const timeline = (narrow: Narrow, opening: Opening) =>
  queryOptions({
    queryKey: keyOf(narrow, opening),
    queryFn: (context) => {
      const current = queryClient.getQueryData<Timeline>(keyOf(narrow, opening))
      if (current === undefined) return fetchRange(narrow, String(opening), PAGE, PAGE, context.signal)
      // The abort signal is not used, so that the request continues after the user has left. An aborted query would
      // restore its earlier messages.
      const oldest = current.messages[0]
      if (oldest === undefined) return fetchRange(narrow, String(opening), PAGE, PAGE)
      if (isOutdated(narrow, opening, current)) return reopen(narrow, opening, current)
      const after = current.messages.length + PAGE
      return refreshed(current, fetchRange(narrow, String(oldest.id), current.hasOldest ? PAGE : 0, after))
    },
    initialData: () => (typeof opening === 'number' ? findTimelineWith(narrow, opening) : undefined),
  })

const refreshed = async (current: Timeline, page: Promise<Timeline>): Promise<Timeline> =>
  current.reopenings === undefined ? page : { ...(await page), reopenings: current.reopenings }

/** The last parts of the keys of queries that are not timelines. The messages of these queries are not consecutive. */
const LISTS: readonly unknown[] = ['previews', 'relevance']

/** Among the cached timelines of the narrow, returns one that contains the message. */
function findTimelineWith(narrow: Narrow, id: number): Timeline | undefined {
  const cached = queryClient.getQueryCache().findAll({ queryKey: ['messages', narrow] })
  const found = cached.find(
    ({ queryKey, state: { data, isInvalidated } }) =>
      !LISTS.includes(queryKey[2]) &&
      !isInvalidated &&
      (data as Timeline | undefined)?.messages.some((message) => message.id === id),
  )
  return found?.state.data as Timeline | undefined
}

/** True while cached timelines are loaded again. */
const isReloadingCached = createAtom(false)

/**
 * Loads the shown messages again after the page has shown cached timelines, which events did not keep up to date. A
 * timeline with unread messages that it lacks opens at its first unread message, like a timeline that is shown for the
 * first time.
 */
export async function reloadCachedTimelines(): Promise<void> {
  queryClient.removeQueries({ queryKey: ['messages'], type: 'inactive' })
  isReloadingCached.set(true)
  await queryClient.invalidateQueries()
  isReloadingCached.set(false)
}

function isOutdated(narrow: Narrow, opening: Opening, current: Timeline): boolean {
  if (!isReloadingCached.get() || typeof opening === 'number') return false
  const newestId = current.messages.at(-1)?.id ?? 0
  const isNew = ({ conversation, ids }: UnreadConversation) =>
    (ids.at(-1) ?? 0) > newestId && contains(narrow, conversation)
  return [...unreadStore.get().conversations.values()].some(isNew)
}

async function reopen(narrow: Narrow, opening: Opening, current: Timeline): Promise<Timeline> {
  const page = await fetchRange(narrow, String(opening), PAGE, PAGE)
  return { ...page, reopenings: (current.reopenings ?? 0) + 1 }
}

/** Returns false if the narrow cannot contain messages of the conversation. */
function contains(narrow: Narrow, conversation: ConversationRef): boolean {
  if (narrow.kind === 'topic' || narrow.kind === 'direct')
    return conversationKey(narrow) === conversationKey(conversation)
  return narrow.kind !== 'channel' || (conversation.kind === 'topic' && conversation.channelId === narrow.channelId)
}

/**
 * Drops a cached timeline that has neither the opening position nor the position `earlier`, so that it is loaded again.
 * `earlier` is where the user left the timeline: a message or the end; null for the opening position.
 */
export function dropDistantPages(narrow: Narrow, opening: Opening, earlier: number | 'end' | null): void {
  const queryKey = keyOf(narrow, opening)
  const current = queryClient.getQueryData<Timeline>(queryKey)
  if (current !== undefined && !reaches(current, opening, earlier)) queryClient.removeQueries({ queryKey })
}

function reaches({ messages, hasNewest }: Timeline, opening: Opening, earlier: number | 'end' | null): boolean {
  const has = (wanted: number) => messages.some(({ id }) => id === wanted)
  if (typeof earlier === 'number' && has(earlier)) return true
  if (typeof opening === 'number' && has(opening)) return true
  return hasNewest && (typeof opening !== 'number' || earlier === 'end')
}

/** Loads older messages into a timeline. Rejects with `ApiError`. */
export async function loadOlder(narrow: Narrow, opening: Opening): Promise<void> {
  const oldest = queryClient.getQueryData<Timeline>(keyOf(narrow, opening))?.messages[0]
  if (oldest === undefined) return
  const page = await fetchRange(narrow, String(oldest.id), PAGE, 0)
  updateTimeline(narrow, opening, (current) => withOlder(current, page, oldest.id))
}

/** Loads newer messages into a timeline. Rejects with `ApiError`. */
export async function loadNewer(narrow: Narrow, opening: Opening): Promise<void> {
  const newest = queryClient.getQueryData<Timeline>(keyOf(narrow, opening))?.messages.at(-1)
  if (newest === undefined) return
  const page = await fetchRange(narrow, String(newest.id), 0, PAGE)
  updateTimeline(narrow, opening, (current) => withNewer(current, page, newest.id))
}

/**
 * Fetches messages around an anchor. The result includes messages that arrive and changes that happen while the request
 * runs. Rejects with `ApiError`.
 */
export function fetchRange(
  narrow: Narrow,
  anchor: string,
  before: number,
  after: number,
  signal?: AbortSignal,
): Promise<Timeline> {
  const range = { anchor, num_before: before, num_after: after }
  const form = { client_gravatar: false, allow_empty_topic_name: true }
  const terms = toTerms(narrow, currentOrganization()?.user_id ?? 0)
  return withChangesMeanwhile(narrow, async () => {
    const answer = await call('GET /messages', { ...range, narrow: terms, ...form }, signal && { signal })
    const { messages, found_oldest: hasOldest = false, found_newest: hasNewest = false } = answer
    return withLatest({ messages, hasOldest, hasNewest }, narrow)
  })
}

/** Returns a message from any cached timeline. */
export function findMessage(id: number): Message | undefined {
  for (const [, current] of queryClient.getQueriesData<Timeline>({ queryKey: ['messages'] })) {
    const found = current?.messages.find((message) => message.id === id)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns all cached timelines whose narrow `matches` accepts. */
export const cachedTimelines = (matches: (narrow: Narrow) => boolean): Timeline[] =>
  queryClient
    .getQueriesData<Timeline>({ queryKey: ['messages'] })
    .filter(([key]) => matches((key as unknown as TimelineKey)[1]))
    .flatMap(([, current]) => current ?? [])

/** Returns the messages of all cached timelines whose narrow `matches` accepts. */
export const cachedMessages = (matches: (narrow: Narrow) => boolean): Message[] =>
  cachedTimelines(matches).flatMap(({ messages }) => messages)

/** Changes one timeline, if it is cached. */
export function updateTimeline(narrow: Narrow, opening: Opening, change: (current: Timeline) => Timeline): void {
  const key = keyOf(narrow, opening)
  const current = queryClient.getQueryData<Timeline>(key)
  if (current !== undefined) replaceQueryData(key, change(current))
}

/** Changes all cached timelines, except those that `change` returns unchanged. */
function updateTimelines(change: (current: Timeline, narrow: Narrow) => Timeline): void {
  for (const [key, current] of queryClient.getQueriesData<Timeline>({ queryKey: ['messages'] })) {
    const changed = current && change(current, (key as unknown as TimelineKey)[1])
    if (changed !== undefined && changed !== current) replaceQueryData(key, changed)
  }
}

/** Adds a new message to the timelines it belongs to. */
export function addMessage(message: Message, belongsTo: (narrow: Narrow) => boolean): void {
  addArrival(message, belongsTo)
  updateTimelines((current, narrow) => (belongsTo(narrow) ? withArrived(current, message) : current))
}

/** Changes messages in all timelines after an event. The change may be applied to the same message twice. */
export function updateMessages(ids: readonly number[] | 'all', change: (message: Message) => Message): void {
  if (ids === 'all') {
    noteChange(change)
    updateTimelines((current) => withChanged(current, new Set(current.messages.map(({ id }) => id)), change))
    return
  }
  const changed = new Set(ids)
  noteChange((message) => (changed.has(message.id) ? change(message) : message))
  showChangedMessages(changed, change)
}

/** Changes messages in all cached timelines, until the timelines are loaded again. */
const showChangedMessages = (ids: ReadonlySet<number>, change: (message: Message) => Message): void =>
  updateTimelines((current) => withChanged(current, ids, change))

/** After an event, removes the messages that `isGone` accepts. */
export function removeMessages(isGone: (message: Message, narrow: Narrow) => boolean): void {
  noteChange((message, narrow) => (isGone(message, narrow) ? null : message))
  const emptied = new Set<Narrow>()
  updateTimelines((current, narrow) => {
    const messages = current.messages.filter((message) => !isGone(message, narrow))
    if (messages.length === current.messages.length) return current
    if (messages.length === 0 && !(current.hasOldest && current.hasNewest)) emptied.add(narrow)
    return { ...current, messages }
  })
  // These narrows have other messages that are not loaded.
  if (emptied.size > 0) refreshTimelines((narrow) => emptied.has(narrow))
}

/** Reloads the timelines whose narrow `matches` accepts, since they lack messages. */
export function refreshTimelines(matches: (narrow: Narrow) => boolean): void {
  void queryClient.invalidateQueries({
    queryKey: ['messages'],
    predicate: ({ queryKey }) => matches((queryKey as unknown as TimelineKey)[1]),
  })
}

const lastPendingId = createAtom(0)

/** Returns true if `showChange` added the submessage, and the event of the change has not arrived yet. */
export const isPending = ({ id }: { id: number }): boolean => id < 0

/**
 * Shows a change to a poll or to-do list before the server has confirmed it. The event of the change replaces it.
 * Returns a function that reverts the change.
 */
export function showChange(messageId: number, senderId: number, content: string): () => void {
  lastPendingId.set((id) => id - 1)
  const change = {
    id: lastPendingId.get(),
    message_id: messageId,
    sender_id: senderId,
    msg_type: 'widget',
    content,
  } as const
  const showSubmessages = (update: (submessages: Message['submessages']) => Message['submessages']) =>
    showChangedMessages(new Set([messageId]), (message) => ({ ...message, submessages: update(message.submessages) }))
  showSubmessages((submessages) => [...submessages, change])
  return () => showSubmessages((submessages) => submessages.filter(({ id }) => id !== change.id))
}
