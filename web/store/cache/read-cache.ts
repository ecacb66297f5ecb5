import { setRunningTimer } from '../../ui/running-timer.ts'
import type { Organization } from '../organization.ts'
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
} from './cache-database.ts'
import type { CachedQuery, CachedView, LiveState } from './cached-view.ts'

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
