import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../api/call.ts'
import { changeLayout, currentLayout, useLayout } from '../../browser/layout.ts'
import { TopicPolicy } from '../../messages/message.ts'
import { type ConversationRef, conversationOf } from '../../messages/narrow.ts'
import { conversationKey, type UnreadCounts, useUnreadCounts } from '../../messages/unread.ts'
import { matchesName } from '../../navigation/row-list.ts'
import { subscriptionsById, useOrganization } from '../../store/organization.ts'
import { useConversationName } from '../../store/people.ts'

/** The filter of a list of conversations. A number is the id of a channel, and selects the channel's conversations. */
export type ConversationFilter = 'all' | 'unread' | 'participated' | 'followed' | 'mentions' | 'direct' | number

/** The facts about conversations that filters depend on. */
export type FilterFacts = {
  readonly counts: UnreadCounts
  readonly isFollowed: (conversation: ConversationRef) => boolean
  /** Returns true if the user wrote in the conversation recently. */
  readonly isParticipant: (conversation: ConversationRef) => boolean
  /** Returns the name of a conversation, including the name of its channel. */
  readonly nameOf: (conversation: ConversationRef) => string
}

/** Returns true if the conversation matches the filter, and its name contains the text. */
export function matchesConversation(
  conversation: ConversationRef,
  filter: ConversationFilter,
  text: string,
  facts: FilterFacts,
): boolean {
  return isChosen(conversation, filter, facts) && (text === '' || matchesName(facts.nameOf(conversation), text))
}

function isChosen(conversation: ConversationRef, filter: ConversationFilter, facts: FilterFacts): boolean {
  const count = facts.counts.byConversation.get(conversationKey(conversation))
  switch (filter) {
    case 'all':
      return true
    case 'unread':
      return count !== undefined
    case 'mentions':
      return (count?.mentions ?? 0) > 0
    case 'direct':
      return conversation.kind === 'direct'
    case 'followed':
      return facts.isFollowed(conversation)
    case 'participated':
      return facts.isParticipant(conversation)
    default:
      return conversation.kind === 'topic' && conversation.channelId === filter
  }
}

/**
 * Returns the filter of a list, which this browser remembers, and a function that changes it. Returns `first` if the
 * remembered filter is a channel that the user has left.
 */
export function useConversationFilter(
  list: string,
  first: ConversationFilter,
): [ConversationFilter, (filter: ConversationFilter) => void] {
  const { filters } = useLayout()
  const { subscriptions } = useOrganization('subscriptions')
  const kept = filters[list] as ConversationFilter | undefined
  const isGone = typeof kept === 'number' && !subscriptionsById(subscriptions).has(kept)
  return [
    kept === undefined || isGone ? first : kept,
    (filter) => changeLayout({ filters: { ...currentLayout().filters, [list]: filter } }),
  ]
}

/** Returns the facts for filters. Participation is loaded only if this filter needs it. */
export function useFilterFacts(filter: ConversationFilter): FilterFacts {
  const counts = useUnreadCounts()
  const { user_topics, subscriptions } = useOrganization('user_topics', 'subscriptions')
  const directName = useConversationName()
  const participated = useParticipated(filter === 'participated')
  return useMemo(() => {
    const followed = new Set(
      user_topics
        .filter((one) => one.visibility_policy === TopicPolicy.followed)
        .map((one) => conversationKey({ kind: 'topic', channelId: one.stream_id, topic: one.topic_name })),
    )
    return {
      counts,
      isFollowed: (one) => followed.has(conversationKey(one)),
      isParticipant: (one) => one.kind === 'direct' || participated.has(conversationKey(one)),
      nameOf: (one) =>
        one.kind === 'direct'
          ? directName(one.people)
          : `${subscriptionsById(subscriptions).get(one.channelId)?.name ?? ''} ${one.topic}`,
    }
  }, [counts, user_topics, subscriptions, directName, participated])
}

/** A conversation counts as participated if it has one of this many latest messages of the user. */
const OWN_MESSAGES = 1000

const NONE: ReadonlySet<string> = new Set()

/** Returns the keys of the conversations in which the user wrote recently; an empty set until they are loaded. */
function useParticipated(isNeeded: boolean): ReadonlySet<string> {
  const { user_id: ownId } = useOrganization('user_id')
  const { data = NONE } = useQuery({
    queryKey: ['participated', ownId],
    queryFn: async ({ signal }) => {
      const range = { anchor: 'newest', num_before: OWN_MESSAGES, num_after: 0 }
      const narrow = [{ operator: 'sender', operand: ownId }]
      const { messages } = await call('GET /messages', { ...range, narrow, allow_empty_topic_name: true }, { signal })
      return new Set(messages.map((message) => conversationKey(conversationOf(message, ownId))))
    },
    enabled: isNeeded,
    staleTime: 0,
  })
  return data
}
