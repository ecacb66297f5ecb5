import { deriveStore } from '../../ui/create-store.ts'
import { type Organization, organizationStore } from '../organization.ts'
import { TopicPolicy } from './message.ts'
import { conversationKey, type Unread, type UnreadCounts } from './unread.ts'
import { unreadCounts, unreadStore } from './unread-messages.ts'

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

const count = deriveStore([unreadStore, unreadCounts, organizationStore], ([unread, counts, organization]) =>
  organization === undefined
    ? 0
    : iconCount(unread, counts, organization.user_settings.desktop_icon_count_display, organization.user_topics),
)

export const useIconCount = count.use
