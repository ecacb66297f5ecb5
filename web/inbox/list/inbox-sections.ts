import { sortedChannels } from '../../channels/channel.ts'
import { conversationKey, type UnreadConversation } from '../../messages/unread.ts'
import type { Subscription } from '../../store/organization.ts'
import { type ConversationFilter, type FilterFacts, matchesConversation } from './conversation-filter.ts'

export type InboxSection = {
  /** Null for direct messages. */
  readonly channel: Subscription | null
  readonly conversations: readonly UnreadConversation[]
}

export type InboxState = {
  readonly unread: Iterable<UnreadConversation>
  readonly facts: FilterFacts
  readonly subscriptions: readonly Subscription[]
  readonly isMuted: (channelId: number, topic: string) => boolean
}

/**
 * Returns the conversations with unread messages in sections: direct messages, then one section for each channel. The
 * newest conversations of a section come first. Muted topics are included only if they mention the user, or with the
 * filter `all`.
 */
export function inboxSections(state: InboxState, filter: ConversationFilter, text = ''): InboxSection[] {
  const shown = [...state.unread]
    .filter(
      (one) =>
        (filter === 'all' ? isUnread(one, state) : isShown(one, state)) &&
        matchesConversation(one.conversation, filter, text, state.facts),
    )
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

const isUnread = ({ conversation }: UnreadConversation, { facts }: InboxState): boolean =>
  facts.counts.byConversation.has(conversationKey(conversation))

function isShown({ conversation }: UnreadConversation, { facts, isMuted }: InboxState): boolean {
  const count = facts.counts.byConversation.get(conversationKey(conversation))
  if (count === undefined) return false
  return conversation.kind === 'direct' || count.mentions > 0 || !isMuted(conversation.channelId, conversation.topic)
}
