import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { type ConversationRef, isSameTopic, type Narrow } from '../../../store/messages/narrow.ts'
import { channelTopics } from '../../../store/messages/topics.ts'
import { conversationKey } from '../../../store/messages/unread.ts'
import { mutedCheck, unreadCounts, useUnreadCount } from '../../../store/messages/unread-messages.ts'
import { useOrganizationPart } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { areSame } from '../../../ui/create-store.ts'
import { NarrowLink } from '../narrow-link.tsx'
import { TopicName } from '../topic-name.tsx'
import { CountPill } from './count-pill.tsx'

/** The number of read topics that are shown. */
const SHOWN = 6

/** The latest topics of a channel, and all unread ones. */
export function TopicLinks(props: { channelId: number; current: Narrow | null }): ReactNode {
  const { channelId, current } = props
  const [showsAll, showAll] = useState(false)
  const { data = [] } = useQuery(channelTopics(channelId))
  const isMuted = useOrganizationPart(mutedCheck)
  const toSpot = (topic: string): ConversationRef => ({ kind: 'topic', channelId, topic })
  const isCurrent = (topic: string) =>
    current?.kind === 'topic' && current.channelId === channelId && isSameTopic(current.topic, topic)
  const shown = unreadCounts.usePart(
    ({ spots }) =>
      data.filter(
        ({ name }, at) => showsAll || at < SHOWN || isCurrent(name) || spots.has(conversationKey(toSpot(name))),
      ),
    areSame,
  )
  return (
    <ul className="pane-topics">
      {shown.map(({ name }) => (
        <li key={name}>
          <NarrowLink
            narrow={toSpot(name)}
            className={isMuted(channelId, name) ? 'pane-link pane-topic pane-muted' : 'pane-link pane-topic'}
            isCurrent={isCurrent(name)}
          >
            <span className="pane-link-name">
              <TopicName topic={name} />
            </span>
            {isMuted(channelId, name) && <span className="visually-hidden">{t(', muted')}</span>}
            <TopicCount conversation={toSpot(name)} isQuiet={isMuted(channelId, name)} />
          </NarrowLink>
        </li>
      ))}
      {shown.length < data.length && (
        <li>
          <Button className="pane-link pane-more" onPress={() => showAll(true)}>
            {t('All {count} topics', { count: data.length })}
          </Button>
        </li>
      )}
    </ul>
  )
}

function TopicCount({ conversation, isQuiet }: { conversation: ConversationRef; isQuiet: boolean }): ReactNode {
  return <CountPill count={useUnreadCount(conversation)} isQuiet={isQuiet} />
}
