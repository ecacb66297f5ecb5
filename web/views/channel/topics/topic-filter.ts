import { TopicPolicy } from '../../../store/messages/message.ts'
import { topicPolicy } from '../../../store/messages/topic-policy.ts'
import { isResolved } from '../../../store/messages/topic-title.ts'
import { conversationKey, type UnreadCounts } from '../../../store/messages/unread.ts'
import type { Organization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { matchesName } from '../../chat/sidebar/matches-name.ts'

export type TopicFilter = 'all' | 'unread' | 'followed' | 'resolved' | 'unresolved'

type TopicCriteria = { filter: TopicFilter; text: string; counts: UnreadCounts } & Pick<Organization, 'user_topics'>

/** Returns true if the topic matches the filter, and its name contains the text. */
export function matchesTopic(
  channelId: number,
  topic: string,
  { filter, text, counts, user_topics }: TopicCriteria,
): boolean {
  if (text !== '' && !matchesName(topic || t('general chat'), text)) return false
  switch (filter) {
    case 'all':
      return true
    case 'unread':
      return counts.byConversation.has(conversationKey({ kind: 'topic', channelId, topic }))
    case 'followed':
      return topicPolicy(user_topics, channelId, topic) === TopicPolicy.followed
    case 'resolved':
      return isResolved(topic)
    case 'unresolved':
      return !isResolved(topic)
  }
}
