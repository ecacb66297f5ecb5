import { createAtom, useSelector } from '@tanstack/react-store'
import type { AnswerOf } from '../api/call.ts'
import { type Organization, organizationStore, subscriptionsById } from '../store/organization.ts'
import { TopicPolicy } from './message.ts'
import { type ConversationRef, toParticipants } from './narrow.ts'

/** A conversation with the ids of its unread messages in ascending order. */
export type UnreadConversation = { readonly conversation: ConversationRef; readonly ids: readonly number[] }

/** The unread messages by conversation key, and the ids of those that mention the user. */
export type Unread = {
  readonly conversations: ReadonlyMap<string, UnreadConversation>
  readonly mentions: ReadonlySet<number>
}

export const NOTHING_UNREAD: Unread = { conversations: new Map(), mentions: new Set() }

export const conversationKey = (conversation: ConversationRef): string =>
  conversation.kind === 'topic'
    ? `topic ${conversation.channelId} ${conversation.topic.toLowerCase()}`
    : `direct ${conversation.people}`

/** Reads the unread messages from the response of `register`. */
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
export function withUnread(unread: Unread, id: number, ref: ConversationRef, mentionsUser: boolean): Unread {
  const before = withoutUnread(unread, [id])
  const key = conversationKey(ref)
  const known = before.conversations.get(key)?.ids ?? []
  const isNewest = (known.at(-1) ?? 0) < id
  const ids = isNewest ? [...known, id] : [...known, id].sort((one, other) => one - other)
  return {
    conversations: new Map(before.conversations).set(key, { conversation: ref, ids }),
    mentions: mentionsUser ? new Set(before.mentions).add(id) : before.mentions,
  }
}

/** Removes messages that were read or deleted. */
export function withoutUnread(unread: Unread, ids: readonly number[]): Unread {
  const gone = new Set(ids)
  const lowest = Math.min(...ids)
  let refs: Map<string, UnreadConversation> | undefined
  for (const [key, one] of unread.conversations) {
    // Most events are about the newest messages. Conversations that have only older unread messages are skipped.
    if ((one.ids.at(-1) ?? 0) < lowest) continue
    const left = one.ids.filter((id) => !gone.has(id))
    if (left.length === one.ids.length) continue
    refs ??= new Map(unread.conversations)
    if (left.length > 0) refs.set(key, { ...one, ids: left })
    else refs.delete(key)
  }
  if (refs === undefined) return unread
  const hasMention = ids.some((id) => unread.mentions.has(id))
  return { conversations: refs, mentions: hasMention ? unread.mentions.difference(gone) : unread.mentions }
}

/** Moves the unread messages among `ids` to another conversation. */
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

/** Records whether an unread message mentions the user. */
export function withMention(unread: Unread, id: number, mentionsUser: boolean): Unread {
  if (unread.mentions.has(id) === mentionsUser) return unread
  if (![...unread.conversations.values()].some(({ ids }) => ids.includes(id))) return unread
  const mentions = new Set(unread.mentions)
  if (mentionsUser) mentions.add(id)
  else mentions.delete(id)
  return { ...unread, mentions }
}

/** The number of unread messages, and how many of them mention the user. */
export type Count = { readonly messages: number; readonly mentions: number }

const NONE: Count = { messages: 0, mentions: 0 }

export type UnreadCounts = {
  /** The counts by conversation key. */
  readonly byConversation: ReadonlyMap<string, Count>
  /** The counts by channel id. Muted messages count only if they mention the user, as in `all`. */
  readonly channels: ReadonlyMap<number, Count>
  /** The number of muted messages that `channels` leaves out, by channel id. */
  readonly muted: ReadonlyMap<number, number>
  readonly all: Count
  readonly mentions: number
}

const NO_COUNTS: UnreadCounts = {
  byConversation: new Map(),
  channels: new Map(),
  muted: new Map(),
  all: NONE,
  mentions: 0,
}

/**
 * Counts unread messages in subscribed channels and direct messages. A count that is the same as in `before` is the
 * same object, so that components of that count are not rendered again.
 */
export function countUnread(
  { conversations: refs, mentions }: Unread,
  isIn: (channelId: number) => boolean,
  isMuted: (channelId: number, topic: string) => boolean,
  before: UnreadCounts = NO_COUNTS,
): UnreadCounts {
  const byConversation = new Map<string, Count>()
  const channels = new Map<number, Count>()
  const muted = new Map<number, number>()
  let all = NONE
  for (const [key, { conversation: ref, ids }] of refs) {
    if (ref.kind === 'topic' && !isIn(ref.channelId)) continue
    const count = same(before.byConversation.get(key), { messages: ids.length, mentions: countMentions(ids, mentions) })
    byConversation.set(key, count)
    const isQuiet = ref.kind === 'topic' && isMuted(ref.channelId, ref.topic)
    const counted = isQuiet ? { messages: count.mentions, mentions: count.mentions } : count
    if (isQuiet) muted.set(ref.channelId, (muted.get(ref.channelId) ?? 0) + count.messages - count.mentions)
    if (ref.kind === 'topic') channels.set(ref.channelId, sum(channels.get(ref.channelId) ?? NONE, counted))
    all = sum(all, counted)
  }
  for (const [id, count] of channels) channels.set(id, same(before.channels.get(id), count))
  return { byConversation, channels, muted, all: same(before.all, all), mentions: all.mentions }
}

const countMentions = (ids: readonly number[], mentions: ReadonlySet<number>) =>
  mentions.size === 0 ? 0 : ids.reduce((sum, id) => sum + Number(mentions.has(id)), 0)

const same = (before: Count | undefined, now: Count): Count =>
  before?.messages === now.messages && before.mentions === now.mentions ? before : now

const sum = (one: Count, other: Count): Count => ({
  messages: one.messages + other.messages,
  mentions: one.mentions + other.mentions,
})

/** The unread messages from the response of `register`. Events keep them up to date. */
export const unreadStore = createAtom<Unread>(NOTHING_UNREAD)

export function updateUnread(change: (unread: Unread) => Unread): void {
  unreadStore.set(change(unreadStore.get()))
}

/**
 * The parts of the organization that decide which messages count. Other changes to the organization change no count.
 */
const subscriptions = createAtom(() => organizationStore.get()?.subscriptions)
const topicPolicies = createAtom(() => organizationStore.get()?.user_topics)

/** A function that checks if a topic is muted, either by itself or because its channel is muted. */
export const isTopicMuted = createAtom(() => {
  const muted = subscriptions.get()?.filter(({ is_muted }) => is_muted)
  const mutedIds = new Set(muted?.map(({ stream_id }) => stream_id))
  const keyOf = (channelId: number, topic: string) => `${channelId} ${topic.toLowerCase()}`
  const known = topicPolicies
    .get()
    ?.map((one) => [keyOf(one.stream_id, one.topic_name), one.visibility_policy] as const)
  const policies = new Map<string, number>(known)
  return (channelId: number, topic: string): boolean => {
    const policy = policies.get(keyOf(channelId, topic)) ?? TopicPolicy.inherit
    return policy === TopicPolicy.inherit ? mutedIds.has(channelId) : policy === TopicPolicy.muted
  }
})

/** The unread counts that the page shows. */
export const unreadCounts = createAtom<UnreadCounts>((before = NO_COUNTS) => {
  const [channels, user_topics] = [subscriptions.get(), topicPolicies.get()]
  if (channels === undefined || user_topics === undefined) return NO_COUNTS
  return countUnread(unreadStore.get(), (id) => subscriptionsById(channels).has(id), isTopicMuted.get(), before)
})

/** Returns all unread counts. Components about one conversation or channel use the hooks below. */
export const useUnreadCounts = (): UnreadCounts => useSelector(unreadCounts)

/** Returns the count of a conversation; undefined if nothing is unread. */
export const useUnreadCount = (conversation: ConversationRef): Count | undefined =>
  useSelector(unreadCounts, ({ byConversation }) => byConversation.get(conversationKey(conversation)))

/** Returns the count of all unread messages. */
export const useTotalUnreadCount = (): Count => useSelector(unreadCounts, ({ all }) => all)

/** Values of `desktop_icon_count_display` of the API: the messages that the unread count in the tab title includes. */
export const IconCount = { all: 1, directMentionsFollowed: 2, directMentions: 3, nothing: 4 } as const

/** Returns the unread count that the user has chosen for the tab title. */
export function iconCount(
  { conversations: refs }: Unread,
  counts: UnreadCounts,
  display: number,
  user_topics: Organization['user_topics'],
): number {
  if (display === IconCount.nothing) return 0
  if (display === IconCount.all) return counts.all.messages
  const followed = display === IconCount.directMentions ? new Set() : followedTopics(user_topics)
  let sum = 0
  for (const [key, { conversation: ref }] of refs) {
    const count = counts.byConversation.get(key)
    if (count === undefined) continue
    sum += ref.kind === 'direct' || followed.has(key) ? count.messages : count.mentions
  }
  return sum
}

const followedTopics = (user_topics: Organization['user_topics']) =>
  new Set(
    user_topics
      .filter((one) => one.visibility_policy === TopicPolicy.followed)
      .map((one) => conversationKey({ kind: 'topic', channelId: one.stream_id, topic: one.topic_name })),
  )

const count = createAtom((): number => {
  const organization = organizationStore.get()
  if (organization === undefined) return 0
  const { user_settings, user_topics } = organization
  return iconCount(unreadStore.get(), unreadCounts.get(), user_settings.desktop_icon_count_display, user_topics)
})

export const useIconCount = (): number => useSelector(count)
