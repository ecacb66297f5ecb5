import { useMemo } from 'react'
import { createStore } from '../../ui/create-store.ts'
import { type Organization, useOrganization } from '../organization.ts'
import { TopicPolicy } from './message.ts'
import { countUnread, NOTHING_UNREAD, type Unread, type UnreadCounts } from './unread.ts'

/** Unread messages: the state of `register`, kept up to date by events. */
export const unreadStore = createStore<Unread>(NOTHING_UNREAD)

export function updateUnread(change: (unread: Unread) => Unread): void {
  unreadStore.set(change(unreadStore.get()))
}

/** Returns unread counts as they are shown. */
export function useUnreadCounts(): UnreadCounts {
  const unread = unreadStore.use()
  const { subscriptions, user_topics } = useOrganization()
  const isMuted = useMemo(() => mutedCheck({ subscriptions, user_topics }), [subscriptions, user_topics])
  return useMemo(() => {
    const channelIds = new Set(subscriptions.map(({ stream_id }) => stream_id))
    return countUnread(unread, (id) => channelIds.has(id), isMuted)
  }, [unread, subscriptions, isMuted])
}

/** Returns a function that checks if a topic is muted, by itself or with its channel. */
export function mutedCheck({
  subscriptions,
  user_topics,
}: Pick<Organization, 'subscriptions' | 'user_topics'>): (channelId: number, topic: string) => boolean {
  const mutedChannels = new Set(subscriptions.filter((one) => one.is_muted).map(({ stream_id }) => stream_id))
  const keyOf = (channelId: number, topic: string) => `${channelId} ${topic.toLowerCase()}`
  const policies = new Map(user_topics.map((one) => [keyOf(one.stream_id, one.topic_name), one.visibility_policy]))
  return (channelId, topic) => {
    const policy = policies.get(keyOf(channelId, topic)) ?? TopicPolicy.inherit
    return policy === TopicPolicy.inherit ? mutedChannels.has(channelId) : policy === TopicPolicy.muted
  }
}
