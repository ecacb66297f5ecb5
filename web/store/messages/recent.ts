import { queryOptions } from '@tanstack/react-query'
import type { Message } from './message.ts'
import { fetchRange } from './messages.ts'
import { type ConversationRef, conversationOf } from './narrow.ts'
import { MAX_KEPT } from './timeline.ts'
import { conversationKey } from './unread.ts'

const COMBINED = { kind: 'combined' } as const

/** The newest messages of all that is not muted, kept true by events as all known messages are. */
export const recentMessages = queryOptions({
  queryKey: ['messages', COMBINED, 'recent'] as const,
  queryFn: ({ signal }) => fetchRange(COMBINED, 'newest', MAX_KEPT, 0, signal),
})

/** A topic or a conversation, by its newest message. */
export type RecentConversation = {
  readonly conversation: ConversationRef
  readonly latestId: number
  /** When that was written, in UNIX seconds; null where only the message's id is known. */
  readonly at: number | null
  /** Who wrote there, of the messages that are known; the last one first. */
  readonly writers: readonly number[]
}

/** Where the messages stand, and what else is known of, the one with the newest message first. */
export function recentConversations(
  messages: readonly Message[],
  others: readonly { conversation: ConversationRef; latestId: number }[],
  ownId: number,
): RecentConversation[] {
  const found = new Map<string, RecentConversation>()
  for (const message of messages.toReversed()) {
    const ref = conversationOf(message, ownId)
    const known = found.get(conversationKey(ref)) ?? {
      conversation: ref,
      latestId: message.id,
      at: message.timestamp,
      writers: [],
    }
    const writers = known.writers.includes(message.sender_id) ? known.writers : [...known.writers, message.sender_id]
    found.set(conversationKey(ref), { ...known, writers })
  }
  for (const { conversation, latestId } of others)
    if (!found.has(conversationKey(conversation)))
      found.set(conversationKey(conversation), { conversation, latestId, at: null, writers: [] })
  return [...found.values()].sort((one, other) => other.latestId - one.latestId)
}
