import { conversations, readConversations } from './messages/conversations.ts'
import { forgetTypists } from './messages/typists.ts'
import { NOTHING_UNREAD, readUnread } from './messages/unread.ts'
import { unreadMessages } from './messages/unread-messages.ts'
import { ORGANIZATION_KEY, type Organization, type RegisterState } from './organization.ts'
import { queryClient } from './query-client.ts'

/** Begins with the state that registering told. */
export function loadState(state: RegisterState): void {
  const ownId = state.user_id ?? 0
  unreadMessages.set(state.unread_msgs === undefined ? NOTHING_UNREAD : readUnread(state.unread_msgs, ownId))
  conversations.set(readConversations(state.recent_private_conversations ?? [], ownId))
  forgetTypists()
  queryClient.setQueryData(ORGANIZATION_KEY, state as Organization)
}
