import type { ConversationRef } from '../../../store/messages/narrow.ts'
import { conversationKey, type UnreadConversation, type UnreadCounts } from '../../../store/messages/unread.ts'
import type { Subscription } from '../../../store/organization.ts'
import { sortedChannels } from '../../channel/channels.ts'
import type { InboxFilter } from './inbox-filter.tsx'

export type InboxSection = {
  /** Null for direct messages. */
  readonly channel: Subscription | null
  readonly conversations: readonly UnreadConversation[]
}

export type InboxState = {
  readonly unread: Iterable<UnreadConversation>
  readonly counts: UnreadCounts
  readonly subscriptions: readonly Subscription[]
  readonly isMuted: (channelId: number, topic: string) => boolean
  readonly isFollowed: (conversation: ConversationRef) => boolean
}

/** Returns the unread conversations, newest first: direct messages, then those of each channel. Muted ones need a mention. */
export function inboxSections(state: InboxState, filter: InboxFilter): InboxSection[] {
  const shown = [...state.unread]
    .filter((one) => isShown(one, state) && matches(one, state, filter))
    .sort((one, other) => (other.ids.at(-1) ?? 0) - (one.ids.at(-1) ?? 0))
  const direct = shown.filter(({ conversation }) => conversation.kind === 'direct')
  const byChannel = sortedChannels(state.subscriptions).map((channel) => ({
    channel,
    conversations: shown.filter(
      ({ conversation }) => conversation.kind === 'topic' && conversation.channelId === channel.stream_id,
    ),
  }))
  return [{ channel: null, conversations: direct }, ...byChannel].filter(
    ({ conversations }) => conversations.length > 0,
  )
}

function isShown({ conversation }: UnreadConversation, { counts, isMuted }: InboxState): boolean {
  const count = counts.spots.get(conversationKey(conversation))
  if (count === undefined) return false
  return conversation.kind === 'direct' || count.mentions > 0 || !isMuted(conversation.channelId, conversation.topic)
}

function matches({ conversation }: UnreadConversation, state: InboxState, filter: InboxFilter): boolean {
  switch (filter) {
    case 'unread':
      return true
    case 'mentions':
      return (state.counts.spots.get(conversationKey(conversation))?.mentions ?? 0) > 0
    case 'direct':
      return conversation.kind === 'direct'
    case 'followed':
      return state.isFollowed(conversation)
    default:
      return conversation.kind === 'topic' && conversation.channelId === filter
  }
}
