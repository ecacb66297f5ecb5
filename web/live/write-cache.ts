import type { Query, QueryClient, QueryKey } from '@tanstack/react-query'
import type { ReadonlyAtom } from '@tanstack/react-store'
import { storesPersonalData } from '../browser/personal-data.ts'
import { directConversations } from '../messages/conversations.ts'
import type { Timeline } from '../messages/timeline.ts'
import { unreadStore } from '../messages/unread.ts'
import {
  type CacheDatabase,
  type CacheHead,
  currentBuild,
  DIRECT,
  discardCache,
  ENTRIES,
  HEAD,
  MEMBER_PREFIX,
  noteCache,
  openCache,
  QUERY_PREFIX,
  UNREAD,
} from '../store/cache-database.ts'
import { type QueuePosition, queuePosition } from '../store/connection.ts'
import { findChannel, organizationStore } from '../store/organization.ts'
import { queryClient } from '../store/query-client.ts'
import { whenIdle } from '../ui/timers.ts'
import type { CachedQuery, CachedView } from './cached-view.ts'
import { earlyStart } from './early-start.ts'

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

/** The time between a change and the next save, in milliseconds. The save contains all changes until then. */
const PAUSE = 3000

/** An entry to store. It is written only if `source` is another object than at the last save. */
type Entry = { readonly source: unknown; readonly toValue: () => unknown }

type Notice = { writer: string }

/**
 * Caches what the page shows, so that the next page can show it at once. Only visible pages save. Pages of the same
 * user replace each other's cache. Returns a function that stops this.
 */
export function startCaching(userId: number): () => void {
  const writer = Math.random().toString(36)
  const channel = new BroadcastChannel(`parley.cached.${userId}`)
  // A tab that discards the cache starts a new one itself.
  const opening = openCache(userId, () => stop())
  let isStopped = false
  let database: CacheDatabase | null = null
  let saved = new Map<string, unknown>()
  /** The view that the page opened with. */
  let openedWith: CachedView | null = null
  void earlyStart().then(({ view }) => {
    openedWith = view
  })
  let timer: ReturnType<typeof setTimeout> | undefined
  channel.onmessage = ({ data }: MessageEvent<Notice>) => {
    if (data.writer !== writer) saved = new Map()
  }

  const stopForGood = () => {
    if (isStopped) return
    stop()
    discardCache(userId)
  }
  const save = (isLeaving: boolean) => {
    clearTimeout(timer)
    timer = undefined
    if (isStopped || database === null || !storesPersonalData()) return
    const position = queuePosition.get()
    const entries = collectEntries()
    if (position === null || entries === null) return
    // Writing everything would delay the next page.
    if (isLeaving && saved.size === 0 && isCached(entries, position, openedWith)) return
    const head: CacheHead = { build: currentBuild(), writer, position, asOf: Date.now() / 1000 }
    const before = saved
    saved = new Map([...entries].map(([key, { source }]) => [key, source]))
    channel.postMessage({ writer } satisfies Notice)
    noteCache(userId)
    write(database, { head, entries, before, isLeaving }).catch(stopForGood)
  }
  const saveLater = () => {
    if (document.visibilityState === 'visible') timer ??= setTimeout(() => whenIdle(() => save(false), PAUSE), PAUSE)
  }
  const saveNow = () => document.visibilityState === 'hidden' && timer !== undefined && save(true)
  const stops = [
    ...[organizationStore, unreadStore, directConversations, queuePosition].map(
      (atom: ReadonlyAtom<unknown>) => atom.subscribe(saveLater).unsubscribe,
    ),
    queryClient.getQueryCache().subscribe(saveLater),
  ]
  document.addEventListener('visibilitychange', saveNow)
  addEventListener('pagehide', saveNow)
  opening.then((opened) => {
    database = opened
    saveLater()
  }, stopForGood)

  function stop(): void {
    isStopped = true
    for (const end of stops.splice(0)) end()
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', saveNow)
    removeEventListener('pagehide', saveNow)
    channel.close()
    // The database closes after its transactions.
    void opening.then((opened) => opened.close()).catch(() => {})
  }
  return stop
}

/** Returns everything to cache, by key; null before the initial state is loaded. */
function collectEntries(): Map<string, Entry> | null {
  const organization = organizationStore.get()
  if (organization === undefined) return null
  const entry = (source: unknown, toValue = () => source): Entry => ({ source, toValue })
  return new Map([
    ...Object.entries(organization).map(([name, value]) => [MEMBER_PREFIX + name, entry(value)] as const),
    [UNREAD, entry(unreadStore.get())],
    [DIRECT, entry(directConversations.get())],
    ...queriesToCache(queryClient).map(
      ({ hash, source, toQuery }) => [QUERY_PREFIX + hash, entry(source, toQuery)] as const,
    ),
  ])
}

/** Returns true if the cache already has the entries, because nothing has happened since the page opened with it. */
function isCached(entries: ReadonlyMap<string, Entry>, position: QueuePosition, view: CachedView | null): boolean {
  if (view?.position.queueId !== position.queueId || view.position.lastEventId !== position.lastEventId) return false
  const known = new Set(view.queries.map(({ data }) => data))
  return [...entries].every(([key, { source }]) => !key.startsWith(QUERY_PREFIX) || known.has(source))
}

type Write = {
  readonly head: CacheHead
  readonly entries: ReadonlyMap<string, Entry>
  /** The sources of the entries that this page saved before. */
  readonly before: ReadonlyMap<string, unknown>
  /** True if the page may be unloaded at any moment, so that it cannot wait for a response of the database. */
  readonly isLeaving: boolean
}

/**
 * Saves the entries that have changed since they were last saved, and deletes those that no longer exist. One
 * transaction does both, since all entries belong to the same position of the event queue. If another page has saved
 * since then, this replaces all entries.
 */
async function write(database: CacheDatabase, { head, entries, before, isLeaving }: Write): Promise<void> {
  const transaction = database.transaction(ENTRIES, 'readwrite')
  const { store } = transaction
  const isOurs = isLeaving || ((await store.get(HEAD)) as CacheHead | undefined)?.writer === head.writer
  const known = isOurs ? before : new Map<string, unknown>()
  const requests: Promise<unknown>[] = []
  if (known.size === 0) requests.push(store.clear())
  for (const key of known.keys()) if (!entries.has(key)) requests.push(store.delete(key))
  for (const [key, { source, toValue }] of entries)
    if (!known.has(key) || known.get(key) !== source) requests.push(store.put(toValue(), key))
  requests.push(store.put(head, HEAD))
  transaction.commit()
  await Promise.all([...requests, transaction.done])
}
