import Bell from 'lucide-react/icons/bell'
import BellOff from 'lucide-react/icons/bell-off'
import type { ReactNode } from 'react'
import { type Message, TopicPolicy } from '../../../store/messages/message.ts'
import { topicPolicy } from '../../../store/messages/topic-policy.ts'
import { type Subscription, useOrganizationPart } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import type { ListedChannel } from '../../channels/listing.ts'
import { TopicMenu } from '../../chat/conversation-menus/topic-menu.tsx'
import { ConversationRow } from '../../chat/list/conversation-row.tsx'

/** A topic with its latest message and its menu. */
export function TopicRow(props: { known: ListedChannel; topic: string; message: Message | undefined }): ReactNode {
  const { known, topic, message } = props
  const { channel, subscription } = known
  const { stream_id: channelId } = channel
  return (
    <ConversationRow
      conversation={{ kind: 'topic', channelId, topic }}
      message={message}
      marks={subscription !== null && <PolicyMark channel={subscription} topic={topic} />}
      {...(subscription !== null && { action: <TopicMenu channel={subscription} topic={topic} /> })}
    />
  )
}

function PolicyMark({ channel, topic }: { channel: Subscription; topic: string }): ReactNode {
  const policy = useOrganizationPart(({ user_topics }) => topicPolicy(user_topics, channel.stream_id, topic))
  if (policy === TopicPolicy.followed)
    return <Bell className="icon topic-mark" role="img" aria-label={t('Followed')} aria-hidden={undefined} />
  if (policy === TopicPolicy.muted)
    return <BellOff className="icon topic-mark" role="img" aria-label={t('Muted')} aria-hidden={undefined} />
  return null
}
