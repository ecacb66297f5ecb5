import type { Query, QueryClient, QueryKey } from '@tanstack/react-query'
import type { Timeline } from '../messages/timeline.ts'
import { findChannel } from '../organization.ts'
import type { CachedQuery } from './cached-view.ts'

/** The maximum numbers of cached timelines and topic lists. The most recently used ones are cached. */
const MAX_TIMELINES = 10
const MAX_TOPIC_LISTS = 10

/**
 * The maximum number of cached messages of a timeline that reaches the newest message of its narrow. More are cached if
 * the first unread message is older.
 */
const MAX_MESSAGES = 100

/** The number of messages that are cached before the first unread one. */
const CONTEXT = 20

type QueryToCache = { readonly hash: string; readonly source: unknown; readonly toQuery: () => CachedQuery }

/**
 * Returns the queries to cache: the timelines of conversations, and the lists of the inbox and the sidebar. Leaves out
 * channels to which the user is not subscribed, because events do not keep them up to date.
 */
export function queriesToCache(client: QueryClient): QueryToCache[] {
  const all = client
    .getQueryCache()
    .getAll()
    .filter(({ state, queryKey }) => state.data !== undefined && isFollowed(queryKey))
    .sort((one, other) => lastUse(other) - lastUse(one))
  const timelines = all.filter(
    ({ queryKey, state }) => queryKey[0] === 'messages' && !isSearch(queryKey) && !state.isInvalidated,
  )
  // Outdated lists of topics, too, because the next page loads all of them again.
  const topics = all.filter(({ queryKey }) => queryKey[0] === 'topics')
  return [
    ...timelines.slice(0, MAX_TIMELINES).map((query) => toCached(query, (data) => shortened(data as Timeline))),
    ...topics.slice(0, MAX_TOPIC_LISTS).map((query) => toCached(query, (data) => data)),
  ]
}

const toCached = (
  { queryHash, queryKey, state: { data } }: Query,
  toData: (data: unknown) => unknown,
): QueryToCache => ({
  hash: queryHash,
  source: data,
  toQuery: () => ({ key: queryKey, data: toData(data) }),
})

const isSearch = (key: QueryKey): boolean => (key[1] as { kind?: string } | undefined)?.kind === 'search'

function isFollowed([name, scope]: QueryKey): boolean {
  const channelId = name === 'topics' ? (scope as number) : (scope as { channelId?: number } | undefined)?.channelId
  return channelId === undefined || findChannel(channelId) !== undefined
}

const lastUse = (query: Query): number => (query.isActive() ? Number.POSITIVE_INFINITY : query.state.dataUpdatedAt)

/** Drops the oldest messages of a long timeline, but keeps the first unread message and all later ones. */
export function shortened(timeline: Timeline): Timeline {
  const { messages, hasNewest } = timeline
  const firstUnread = messages.findIndex(({ flags }) => !flags.includes('read'))
  const wanted = firstUnread === -1 ? messages.length : firstUnread - CONTEXT
  const start = Math.max(0, Math.min(wanted, messages.length - MAX_MESSAGES))
  return !hasNewest || start === 0 ? timeline : { ...timeline, messages: messages.slice(start), hasOldest: false }
}
