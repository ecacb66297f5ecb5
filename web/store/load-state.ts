import type { CachedView, LiveState } from './cache/cached-view.ts'
import { reconcileDrafts } from './drafts/draft-sync.ts'
import { directConversations, readDirectConversations } from './messages/direct-conversations.ts'
import { clearTypists } from './messages/typists.ts'
import { NOTHING_UNREAD, readUnread } from './messages/unread.ts'
import { unreadStore } from './messages/unread-messages.ts'
import { currentOrganization, type Organization, type RegisterState, setOrganization } from './organization.ts'
import { queryClient } from './query-client.ts'

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

export function setLiveState({ organization, unread, directConversations: conversations }: LiveState): void {
  unreadStore.set(unread)
  directConversations.set(conversations)
  clearTypists()
  setOrganization(organization)
}

/** Fills the stores with the state that `register` returned. */
export function loadState(state: RegisterState): void {
  const ownId = state.user_id ?? 0
  unreadStore.set(state.unread_msgs === undefined ? NOTHING_UNREAD : readUnread(state.unread_msgs, ownId))
  directConversations.set(readDirectConversations(state.recent_private_conversations ?? [], ownId))
  clearTypists()
  setOrganization(state as Organization)
  reconcileDrafts(ownId, state.drafts ?? [])
}
