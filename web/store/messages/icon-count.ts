import { useMemo } from 'react'
import { type Organization, useOrganization } from '../organization.ts'
import { TopicPolicy } from './message.ts'
import { conversationKey, type Unread, type UnreadCounts } from './unread.ts'
import { unreadStore, useUnreadCounts } from './unread-messages.ts'

/** `desktop_icon_count_display` of the API: the messages that the unread count in the tab title includes. */
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
  const followed = display === IconCount.directMentions ? new Set() : followedSpots(user_topics)
  let sum = 0
  for (const [key, { conversation: ref }] of refs) {
    const count = counts.spots.get(key)
    if (count === undefined) continue
    sum += ref.kind === 'direct' || followed.has(key) ? count.messages : count.mentions
  }
  return sum
}

const followedSpots = (user_topics: Organization['user_topics']) =>
  new Set(
    user_topics
      .filter((one) => one.visibility_policy === TopicPolicy.followed)
      .map((one) => conversationKey({ kind: 'topic', channelId: one.stream_id, topic: one.topic_name })),
  )

export function useIconCount(): number {
  const unread = unreadStore.use()
  const counts = useUnreadCounts()
  const { user_settings, user_topics } = useOrganization()
  const { desktop_icon_count_display: display } = user_settings
  return useMemo(() => iconCount(unread, counts, display, user_topics), [unread, counts, display, user_topics])
}
