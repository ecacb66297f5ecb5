import { directConversations, readDirectConversations } from './messages/direct-conversations.ts'
import { clearTypists } from './messages/typists.ts'
import { NOTHING_UNREAD, readUnread } from './messages/unread.ts'
import { unreadStore } from './messages/unread-messages.ts'
import { ORGANIZATION_KEY, type Organization, type RegisterState } from './organization.ts'
import { queryClient } from './query-client.ts'

/** Fills the stores with the state that registering returned. */
export function loadState(state: RegisterState): void {
  const ownId = state.user_id ?? 0
  unreadStore.set(state.unread_msgs === undefined ? NOTHING_UNREAD : readUnread(state.unread_msgs, ownId))
  directConversations.set(readDirectConversations(state.recent_private_conversations ?? [], ownId))
  clearTypists()
  queryClient.setQueryData(ORGANIZATION_KEY, state as Organization)
}
