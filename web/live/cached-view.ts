import type { QueryKey } from '@tanstack/react-query'
import type { DirectConversation } from '../messages/conversations.ts'
import type { Unread } from '../messages/unread.ts'
import {
  type CacheDatabase,
  type CacheHead,
  currentBuild,
  DIRECT,
  discardCache,
  ENTRIES,
  HEAD,
  MEMBER_PREFIX,
  openCache,
  QUERY_PREFIX,
  UNREAD,
} from '../store/cache-database.ts'
import type { QueuePosition } from '../store/connection.ts'
import type { Organization } from '../store/organization.ts'
import { setRunningTimer } from '../ui/timers.ts'

/** The state that `register` returns. Events keep it up to date. */
export type LiveState = {
  readonly organization: Organization
  readonly unread: Unread
  readonly directConversations: readonly DirectConversation[]
}

/** The view of a page. All its parts belong to the same position of the event queue. */
export type CachedView = {
  readonly position: QueuePosition
  /** The time of the last response, in UNIX seconds. */
  readonly asOf: number
  readonly state: LiveState
  readonly queries: readonly CachedQuery[]
}

/** The query of a timeline or of a topic list, with its data. */
export type CachedQuery = { readonly key: QueryKey; readonly data: unknown }

/** The maximum time to wait for the cache, in milliseconds. Some browsers never respond if their storage is damaged. */
const PATIENCE = 3000

/** Returns the cached view of the user; null if there is none, or if it cannot be used. Never rejects. */
export async function readCache(userId: number): Promise<CachedView | null> {
  const late = new Promise<null>((resolve) => setRunningTimer(() => resolve(null), PATIENCE))
  try {
    const view = await Promise.race([read(userId), late])
    if (view === null) discardCache(userId)
    return view
  } catch {
    discardCache(userId)
    return null
  }
}

async function read(userId: number): Promise<CachedView | null> {
  const database = await openCache(userId)
  try {
    return toView(await readEntries(database), userId)
  } finally {
    database.close()
  }
}

async function readEntries(database: CacheDatabase): Promise<Map<string, unknown>> {
  const { store } = database.transaction(ENTRIES)
  const [keys, values] = await Promise.all([store.getAllKeys(), store.getAll()])
  return new Map(keys.map((key, at) => [key, values[at]]))
}

function toView(entries: ReadonlyMap<string, unknown>, userId: number): CachedView | null {
  const head = entries.get(HEAD) as CacheHead | undefined
  const withPrefix = (prefix: string) => [...entries].filter(([key]) => key.startsWith(prefix))
  const organization = Object.fromEntries(
    withPrefix(MEMBER_PREFIX).map(([key, value]) => [key.slice(MEMBER_PREFIX.length), value]),
  ) as Organization
  const unread = entries.get(UNREAD) as LiveState['unread'] | undefined
  const directConversations = entries.get(DIRECT) as LiveState['directConversations'] | undefined
  if (head?.build !== currentBuild() || organization.user_id !== userId) return null
  if (unread === undefined || directConversations === undefined) return null
  return {
    position: head.position,
    asOf: head.asOf,
    state: { organization, unread, directConversations },
    queries: withPrefix(QUERY_PREFIX).map(([, value]) => value as CachedQuery),
  }
}
