import { useQuery } from '@tanstack/react-query'
import { shallow, useSelector } from '@tanstack/react-store'
import Bell from 'lucide-react/icons/bell'
import { memo, type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { RowMenuButton, useRowMenu } from '../../message-view/open-row-menu.tsx'
import { TopicPolicy } from '../../messages/message.ts'
import { type ConversationRef, isSameTopic, type Narrow, topicPolicy, topicTitle } from '../../messages/narrow.ts'
import { channelTopics } from '../../messages/topics.ts'
import { conversationKey, isTopicMuted, unreadCounts, useUnreadCount } from '../../messages/unread.ts'
import * as conversationNameCss from '../../navigation/conversation-name.module.css'
import { TopicName } from '../../navigation/conversation-name.tsx'
import { CountPill } from '../../navigation/count-pill.tsx'
import { NarrowLink } from '../../navigation/narrow-link.tsx'
import { useOrganizationPart } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import * as css from './conversation-pane.module.css'

/** The number of topics that are shown even if they have no unread messages. */
const SHOWN = 5

/** The latest topics of a channel, and all topics with unread messages. */
export function TopicLinks(props: { channelId: number; current: Narrow | null }): ReactNode {
  const { channelId, current } = props
  const [showsAll, showAll] = useState(false)
  const { data = [] } = useQuery(channelTopics(channelId))
  const isMuted = useSelector(isTopicMuted)
  const isCurrent = (topic: string) => current?.kind === 'topic' && isSameTopic(current.topic, topic)
  const names = data.map(({ name }) => name)
  // The open topic may have no messages yet.
  if (current?.kind === 'topic' && !names.some(isCurrent)) names.unshift(current.topic)
  const shown = useSelector(
    unreadCounts,
    ({ byConversation }) =>
      names.filter(
        (topic, at) =>
          showsAll ||
          at < SHOWN ||
          isCurrent(topic) ||
          byConversation.has(conversationKey({ kind: 'topic', channelId, topic })),
      ),
    { compare: shallow },
  )
  return (
    <ul className={css.paneTopics}>
      {shown.map((topic) => (
        <TopicItem
          key={topic.toLowerCase()}
          channelId={channelId}
          topic={topic}
          isMuted={isMuted(channelId, topic)}
          isCurrent={isCurrent(topic)}
        />
      ))}
      {shown.length < names.length && (
        <li>
          <Button className={`pane-link ${css.paneMore}`} onPress={() => showAll(true)}>
            {t('Show all topics')}
          </Button>
        </li>
      )}
    </ul>
  )
}

const TopicItem = memo(function TopicItem(props: {
  channelId: number
  topic: string
  isMuted: boolean
  isCurrent: boolean
}): ReactNode {
  const { channelId, topic, isMuted, isCurrent } = props
  const target: ConversationRef = { kind: 'topic', channelId, topic }
  const count = useUnreadCount(target)
  const isFollowed = useOrganizationPart(
    ({ user_topics }) => topicPolicy(user_topics, channelId, topic) === TopicPolicy.followed,
  )
  const state = isMuted ? ` ${css.paneMuted}` : count === undefined ? '' : ` ${css.paneUnread}`
  return (
    <li>
      <div className={css.paneRow} {...useRowMenu(target)}>
        <NarrowLink narrow={target} className={`pane-link ${css.paneTopic}${state}`} isCurrent={isCurrent}>
          <span className={css.paneLinkName}>
            <TopicName topic={topic} />
          </span>
          {isFollowed && (
            <Bell
              className={`icon ${conversationNameCss.topicMark}`}
              role="img"
              aria-label={t('Followed')}
              aria-hidden={undefined}
            />
          )}
          {isMuted && <span className="visually-hidden">{t(', muted')}</span>}
          <CountPill count={count} isQuiet={isMuted} />
        </NarrowLink>
        <span className={css.paneTools}>
          <RowMenuButton target={target} name={topicTitle(topic)} />
        </span>
      </div>
    </li>
  )
})
