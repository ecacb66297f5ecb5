import { createStore, deriveStore } from '../../ui/create-store.ts'
import { type Organization, organizationStore, subscriptionsById } from '../organization.ts'
import { TopicPolicy } from './message.ts'
import type { ConversationRef } from './narrow.ts'
import {
  type Count,
  conversationKey,
  countUnread,
  NO_COUNTS,
  NOTHING_UNREAD,
  type Unread,
  type UnreadCounts,
} from './unread.ts'

/** The unread messages from the response of `register`. Events keep them up to date. */
export const unreadStore = createStore<Unread>(NOTHING_UNREAD)

export function updateUnread(change: (unread: Unread) => Unread): void {
  unreadStore.set(change(unreadStore.get()))
}

/**
 * The parts of the organization that decide which messages count. Other changes to the organization change no count.
 */
const subscriptions = deriveStore([organizationStore], ([organization]) => organization?.subscriptions)
const topicPolicies = deriveStore([organizationStore], ([organization]) => organization?.user_topics)

/** The unread counts that the page shows. */
export const unreadCounts = deriveStore(
  [unreadStore, subscriptions, topicPolicies],
  ([unread, subscriptions, user_topics], before: UnreadCounts = NO_COUNTS): UnreadCounts =>
    subscriptions === undefined || user_topics === undefined
      ? NO_COUNTS
      : countUnread(
          unread,
          (id) => subscriptionsById(subscriptions).has(id),
          mutedCheck({ subscriptions, user_topics }),
          before,
        ),
)

/** Returns all unread counts. Components about one conversation or channel use the hooks below. */
export const useUnreadCounts = unreadCounts.use

/** Returns the count of a conversation; undefined if nothing is unread. */
export const useUnreadCount = (conversation: ConversationRef): Count | undefined =>
  unreadCounts.usePart(({ byConversation }) => byConversation.get(conversationKey(conversation)))

/** Returns the count of all unread messages. */
export const useTotalUnreadCount = (): Count => unreadCounts.usePart(({ all }) => all)

/** Returns a function that checks if a topic is muted, either by itself or because its channel is muted. */
export function mutedCheck({ subscriptions, user_topics }: Muting): MutedCheck {
  if (latest?.subscriptions !== subscriptions || latest.user_topics !== user_topics)
    latest = { subscriptions, user_topics, isMuted: newMutedCheck({ subscriptions, user_topics }) }
  return latest.isMuted
}

type Muting = Pick<Organization, 'subscriptions' | 'user_topics'>
type MutedCheck = (channelId: number, topic: string) => boolean

let latest: (Muting & { isMuted: MutedCheck }) | undefined

function newMutedCheck({ subscriptions, user_topics }: Muting): MutedCheck {
  const mutedChannels = new Set(subscriptions.filter((one) => one.is_muted).map(({ stream_id }) => stream_id))
  const keyOf = (channelId: number, topic: string) => `${channelId} ${topic.toLowerCase()}`
  const policies = new Map(user_topics.map((one) => [keyOf(one.stream_id, one.topic_name), one.visibility_policy]))
  return (channelId, topic) => {
    const policy = policies.get(keyOf(channelId, topic)) ?? TopicPolicy.inherit
    return policy === TopicPolicy.inherit ? mutedChannels.has(channelId) : policy === TopicPolicy.muted
  }
}
