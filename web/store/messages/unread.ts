import type { AnswerOf } from '../../api/types.ts'
import { type ConversationRef, toParticipants } from './narrow.ts'

/** The unread messages of a conversation, ascending. */
export type UnreadConversation = { readonly conversation: ConversationRef; readonly ids: readonly number[] }

/** Unread messages by conversation, and those that mention the user. */
export type Unread = {
  readonly conversations: ReadonlyMap<string, UnreadConversation>
  readonly mentions: ReadonlySet<number>
}

export const NOTHING_UNREAD: Unread = { conversations: new Map(), mentions: new Set() }

/** Returns a key that identifies a conversation. */
export const conversationKey = (conversation: ConversationRef): string =>
  conversation.kind === 'topic'
    ? `topic ${conversation.channelId} ${conversation.topic.toLowerCase()}`
    : `direct ${conversation.people}`

/** Reads the state from the response of `register`. */
export function readUnread(json: NonNullable<AnswerOf<'POST /register'>['unread_msgs']>, ownId: number): Unread {
  const conversations: UnreadConversation[] = [
    ...json.streams.map(({ stream_id, topic, unread_message_ids }) => ({
      conversation: { kind: 'topic' as const, channelId: stream_id, topic },
      ids: unread_message_ids,
    })),
    ...json.pms.map(({ other_user_id, unread_message_ids }) => ({
      conversation: { kind: 'direct' as const, people: toParticipants([other_user_id], ownId) },
      ids: unread_message_ids,
    })),
    ...json.huddles.map(({ user_ids_string, unread_message_ids }) => ({
      conversation: { kind: 'direct' as const, people: toParticipants(user_ids_string.split(',').map(Number), ownId) },
      ids: unread_message_ids,
    })),
  ]
  return {
    conversations: new Map(conversations.map((one) => [conversationKey(one.conversation), one])),
    mentions: new Set(json.mentions),
  }
}

/** Adds an unread message to a conversation. */
export function withUnread(unread: Unread, id: number, ref: ConversationRef, mentionsOne: boolean): Unread {
  const before = withoutUnread(unread, [id])
  const key = conversationKey(ref)
  const ids = [...(before.conversations.get(key)?.ids ?? []), id].sort((one, other) => one - other)
  return {
    conversations: new Map(before.conversations).set(key, { conversation: ref, ids }),
    mentions: mentionsOne ? new Set(before.mentions).add(id) : before.mentions,
  }
}

/** Removes messages that were read or deleted. */
export function withoutUnread(unread: Unread, ids: readonly number[]): Unread {
  const gone = new Set(ids)
  const refs = new Map<string, UnreadConversation>()
  let isChanged = false
  for (const [key, one] of unread.conversations) {
    const left = one.ids.filter((id) => !gone.has(id))
    if (left.length !== one.ids.length) isChanged = true
    if (left.length > 0) refs.set(key, left.length === one.ids.length ? one : { ...one, ids: left })
  }
  if (!isChanged) return unread
  return { conversations: refs, mentions: new Set([...unread.mentions].filter((id) => !gone.has(id))) }
}

/** Moves the unread ones of the messages to another conversation. */
export function withMoved(
  unread: Unread,
  ids: readonly number[],
  to: (from: ConversationRef) => ConversationRef,
): Unread {
  let moved = unread
  for (const id of ids) {
    const found = [...moved.conversations.values()].find((one) => one.ids.includes(id))
    if (found !== undefined) moved = withUnread(moved, id, to(found.conversation), moved.mentions.has(id))
  }
  return moved
}

/** Updates whether an unread message mentions the user. */
export function withMention(unread: Unread, id: number, mentionsOne: boolean): Unread {
  if (unread.mentions.has(id) === mentionsOne) return unread
  if (![...unread.conversations.values()].some(({ ids }) => ids.includes(id))) return unread
  const mentions = new Set(unread.mentions)
  if (mentionsOne) mentions.add(id)
  else mentions.delete(id)
  return { ...unread, mentions }
}

/** The number of unread messages, and of those that mention the user. */
export type Count = { readonly messages: number; readonly mentions: number }

const NONE: Count = { messages: 0, mentions: 0 }

export type UnreadCounts = {
  /** By conversation key. */
  readonly spots: ReadonlyMap<string, Count>
  /** By channel. Muted messages count only if they mention the user, as in `all`. */
  readonly channels: ReadonlyMap<number, Count>
  readonly all: Count
  readonly mentions: number
}

/** Counts unread messages in subscribed channels and direct messages. */
export function countUnread(
  { conversations: refs, mentions }: Unread,
  isIn: (channelId: number) => boolean,
  isMuted: (channelId: number, topic: string) => boolean,
): UnreadCounts {
  const bySpot = new Map<string, Count>()
  const channels = new Map<number, Count>()
  let all = NONE
  for (const [key, { conversation: ref, ids }] of refs) {
    if (ref.kind === 'topic' && !isIn(ref.channelId)) continue
    const count = { messages: ids.length, mentions: ids.filter((id) => mentions.has(id)).length }
    bySpot.set(key, count)
    const isQuiet = ref.kind === 'topic' && isMuted(ref.channelId, ref.topic)
    const counted = isQuiet ? { messages: count.mentions, mentions: count.mentions } : count
    if (ref.kind === 'topic') channels.set(ref.channelId, sum(channels.get(ref.channelId) ?? NONE, counted))
    all = sum(all, counted)
  }
  return { spots: bySpot, channels, all, mentions: all.mentions }
}

const sum = (one: Count, other: Count): Count => ({
  messages: one.messages + other.messages,
  mentions: one.mentions + other.mentions,
})
