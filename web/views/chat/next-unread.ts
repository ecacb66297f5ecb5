import { useCallback } from 'react'
import { TopicPolicy } from '../../store/messages/message.ts'
import type { ConversationRef } from '../../store/messages/narrow.ts'
import { topicPolicy } from '../../store/messages/topic-policy.ts'
import { conversationKey, type UnreadConversation } from '../../store/messages/unread.ts'
import { mutedCheck, unreadStore } from '../../store/messages/unread-messages.ts'
import { useOrganization } from '../../store/organization.ts'
import { useCurrentNarrow } from './current-narrow.ts'

/** The kind of conversation that the user wants to read next: any topic, a followed topic, or direct messages. */
export type UnreadKind = ConversationRef['kind'] | 'followed'

/** Returns a function that finds another conversation with unread messages: the one with the oldest unread message. */
export function useNextUnread(): (kind: UnreadKind) => ConversationRef | null {
  const { subscriptions, user_topics } = useOrganization()
  const current = useCurrentNarrow()
  return useCallback(
    (kind) => {
      const isMuted = mutedCheck({ subscriptions, user_topics })
      const channelIds = new Set(subscriptions.map(({ stream_id }) => stream_id))
      const here = current?.kind === 'topic' || current?.kind === 'direct' ? conversationKey(current) : ''
      const isWanted = ({ conversation: ref }: UnreadConversation) =>
        ref.kind === (kind === 'followed' ? 'topic' : kind) &&
        (kind !== 'followed' ||
          (ref.kind === 'topic' && topicPolicy(user_topics, ref.channelId, ref.topic) === TopicPolicy.followed)) &&
        conversationKey(ref) !== here &&
        (ref.kind === 'direct' || (channelIds.has(ref.channelId) && !isMuted(ref.channelId, ref.topic)))
      const waiting = [...unreadStore.get().conversations.values()].filter(isWanted)
      return waiting.sort((one, other) => one.ids[0]! - other.ids[0]!)[0]?.conversation ?? null
    },
    [subscriptions, user_topics, current],
  )
}
