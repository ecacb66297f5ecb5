import { createAtom } from '@tanstack/react-store'
import { directConversations, readDirectConversations } from '../messages/conversations.ts'
import { reconcileDrafts } from '../messages/draft-sync.ts'
import { reloadCachedTimelines } from '../messages/messages.ts'
import { clearTypists } from '../messages/typists.ts'
import { NOTHING_UNREAD, readUnread, unreadStore } from '../messages/unread.ts'
import { currentConnection, type QueuePosition, queuePosition, setConnection } from '../store/connection.ts'
import { currentOrganization, type Organization, type RegisterState, setOrganization } from '../store/organization.ts'
import { queryClient } from '../store/query-client.ts'
import type { CachedView, LiveState } from './cached-view.ts'

/** Fills the stores with the cached view. Lists of topics are small, so they are loaded again when they are shown. */
export function loadView({ state, queries }: CachedView): void {
  for (const { key, data } of queries) queryClient.setQueryData(key, data)
  void queryClient.invalidateQueries({ queryKey: ['topics'] })
  setLiveState(state)
}

/** Returns the state that another page passes to `setLiveState`; null before the initial state is loaded. */
export function liveState(): LiveState | null {
  const organization = currentOrganization()
  if (organization === undefined) return null
  return { organization, unread: unreadStore.get(), directConversations: directConversations.get() }
}

function setLiveState({ organization, unread, directConversations: conversations }: LiveState): void {
  unreadStore.set(unread)
  directConversations.set(conversations)
  clearTypists()
  setOrganization(organization)
}

/** Fills the stores with the state that `register` returned. */
function loadState(state: RegisterState): void {
  const ownId = state.user_id ?? 0
  unreadStore.set(state.unread_msgs === undefined ? NOTHING_UNREAD : readUnread(state.unread_msgs, ownId))
  directConversations.set(readDirectConversations(state.recent_private_conversations ?? [], ownId))
  clearTypists()
  setOrganization(state as Organization)
  reconcileDrafts(ownId, state.drafts ?? [])
}

/**
 * The time without a response of the server after which a page indicates that it shows the cached view, in
 * milliseconds.
 */
const PATIENCE = 3000

/** True while the page shows the cached view. */
const isCached = createAtom(false)

/** The time of the last response of the event queue, in UNIX seconds; null before the first response. */
const respondedAt = createAtom<number | null>(null)

export const lastResponseAt = respondedAt.get

/** Records that the stores are up to date. */
export function setLive(): void {
  isCached.set(false)
  respondedAt.set(Date.now() / 1000)
  setConnection({ phase: 'live' })
}

/** Shows the cached view, until the server responds. */
export function showCachedView(view: CachedView): void {
  isCached.set(true)
  respondedAt.set(view.asOf)
  loadView(view)
  queuePosition.set(view.position)
  setConnection({ phase: 'cached' })
  setTimeout(() => {
    if (currentConnection().phase === 'cached') setConnection({ phase: 'offline', asOf: view.asOf })
  }, PATIENCE)
}

/** Loads the state of a new event queue. */
export function takeRegistered(state: RegisterState): void {
  const { queue_id: queueId, last_event_id: lastEventId } = state
  if (queueId === null) throw new Error('Only visitors without an account have no queue')
  replaceState({ queueId, lastEventId }, () => loadState(state))
}

/** Loads the state of another page. */
export const takeShared = (position: QueuePosition, state: LiveState): void =>
  replaceState(position, () => setLiveState(state))

/** Replaces the state of the stores. The page keeps showing its old messages and lists until they are loaded again. */
function replaceState(position: QueuePosition, load: () => void): void {
  const isFirst = currentOrganization() === undefined
  load()
  queuePosition.set(position)
  if (isCached.get()) void reloadCachedTimelines()
  else if (!isFirst) void queryClient.invalidateQueries()
}
