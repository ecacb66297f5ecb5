import { queryOptions } from '@tanstack/react-query'
import { createAtom } from '@tanstack/react-store'
import { queryClient } from '../store/query-client.ts'
import type { Message } from './message.ts'
import { cachedMessages, fetchRange } from './messages.ts'
import { type ConversationRef, conversationOf, toParticipants } from './narrow.ts'
import type { Timeline } from './timeline.ts'
import { conversationKey } from './unread.ts'

/** A direct message conversation, identified by its other participants. `latestId` is the id of its newest message. */
export type DirectConversation = { readonly people: readonly number[]; readonly latestId: number }

/** The user's direct message conversations, sorted by newest message, in descending order. */
export const directConversations = createAtom<readonly DirectConversation[]>([])

/** Reads the conversations from the response of `register`. */
export const readDirectConversations = (
  events: readonly { user_ids: readonly number[]; max_message_id: number }[],
  ownId: number,
): DirectConversation[] =>
  events.map((one) => ({ people: toParticipants(one.user_ids, ownId), latestId: one.max_message_id }))

/** Moves the conversation of a new message to the front, or adds it there. */
export function withMessage(
  known: readonly DirectConversation[],
  people: readonly number[],
  id: number,
): DirectConversation[] {
  const isOther = (one: DirectConversation) => String(one.people) !== String(people)
  const before = known.find((one) => !isOther(one))
  const latestId = Math.max(before?.latestId ?? 0, id)
  return [...known.filter(isOther), { people, latestId }].sort((one, other) => other.latestId - one.latestId)
}

const COMBINED = { kind: 'combined' } as const

/** The maximum number of messages in one response. */
const PAGE = 400

/** The query for the newest messages that are not muted. Events keep them up to date. */
export const recentMessages = queryOptions({
  queryKey: ['messages', COMBINED, 'recent'] as const,
  queryFn: ({ signal }) => fetchRange(COMBINED, 'newest', PAGE, 0, signal),
})

/** Returns the messages of all views that this page has, oldest first. They are better than none without a connection. */
export function messagesAtHand(): Message[] {
  const byId = new Map(cachedMessages(({ kind }) => kind !== 'search').map((message) => [message.id, message]))
  return [...byId.values()].sort((one, other) => one.id - other.id)
}

/** Adds older messages to the recent messages. Rejects with `ApiError`. */
export async function loadOlderRecent(): Promise<void> {
  const oldest = queryClient.getQueryData(recentMessages.queryKey)?.messages[0]
  if (oldest === undefined) return
  const older = await fetchRange(COMBINED, String(oldest.id), PAGE, 0)
  queryClient.setQueryData<Timeline>(recentMessages.queryKey, (known) => {
    if (known === undefined) return known
    const ids = new Set(known.messages.map(({ id }) => id))
    const added = older.messages.filter(({ id }) => !ids.has(id))
    return { ...known, messages: [...added, ...known.messages], hasOldest: older.hasOldest }
  })
}

/** A conversation with the id of its newest message. */
export type RecentConversation = {
  readonly conversation: ConversationRef
  readonly latestId: number
  /** The time of the newest message in UNIX seconds; null if only its id is known. */
  readonly at: number | null
  /** The ids of the senders of the loaded messages. The sender of the latest message is the first. */
  readonly writers: readonly number[]
}

/** Returns the conversations of the messages, and the given others, sorted by newest message, newest first. */
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
