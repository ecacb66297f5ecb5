import { useQuery } from '@tanstack/react-query'
import { Navigate, useParams } from '@tanstack/react-router'
import Bell from 'lucide-react/icons/bell'
import BellOff from 'lucide-react/icons/bell-off'
import Plus from 'lucide-react/icons/plus'
import { type ReactNode, useMemo, useState } from 'react'
import { isResolved } from '#rules/topics.ts'
import { mayRead } from '../channels/channel.ts'
import { findListedChannel, type ListedChannel, useReloadedChannel } from '../channels/listing.ts'
import { RowMenus } from '../conversation/row-menus.tsx'
import { TopicMenu } from '../conversation/topic-menu.tsx'
import { useStartTopic } from '../conversation/use-open-channel.ts'
import * as conversationRowCss from '../message-view/conversation-row.module.css'
import { ConversationRow } from '../message-view/conversation-row.tsx'
import { type Message, TopicPolicy } from '../messages/message.ts'
import { topicPolicy } from '../messages/narrow.ts'
import { useTopicPreviews } from '../messages/previews.ts'
import { channelTopics } from '../messages/topics.ts'
import { conversationKey, type UnreadCounts, useUnreadCounts } from '../messages/unread.ts'
import * as conversationNameCss from '../navigation/conversation-name.module.css'
import { ChannelIcon } from '../navigation/conversation-name.tsx'
import { NarrowLink } from '../navigation/narrow-link.tsx'
import { PageFrame } from '../navigation/page.tsx'
import { matchesName } from '../navigation/row-list.ts'
import { toAppError } from '../store/app-error.ts'
import { type Organization, type Subscription, useOrganization, useOrganizationPart } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Button, IconButton, ShowMore } from '../ui/button.tsx'
import * as chipsCss from '../ui/chips.module.css'
import { ErrorNotice } from '../ui/notice.tsx'
import { Empty, Loading, TalkDrawing, TrayDrawing } from '../ui/page-states.tsx'
import * as css from './list/filter-bar.module.css'
import { FilterText } from './list/filter-bar.tsx'
import { useListKeys } from './list/list-keys.tsx'

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
    return (
      <Bell
        className={`icon ${conversationNameCss.topicMark}`}
        role="img"
        aria-label={t('Followed')}
        aria-hidden={undefined}
      />
    )
  if (policy === TopicPolicy.muted)
    return (
      <BellOff
        className={`icon ${conversationNameCss.topicMark}`}
        role="img"
        aria-label={t('Muted')}
        aria-hidden={undefined}
      />
    )
  return null
}

export function ChannelTopics(): ReactNode {
  const { channelId } = useParams({ from: '/channels/$channelId/topics' })
  const organization = useOrganization()
  const known = findListedChannel(organization, Number(channelId))
  const isReadable = known !== undefined && mayRead(organization, known.channel, known.subscription !== null)
  // The page of the channel explains why the user can't read the channel.
  if (!isReadable) return <Navigate to="/channels/$channelId" params={{ channelId }} replace />
  return <TopicsPage key={channelId} known={known} />
}

function TopicsPage({ known }: { known: ListedChannel }): ReactNode {
  const { channel, subscription } = known
  const { realm_name } = useOrganization('realm_name')
  const startTopic = useStartTopic()
  return (
    <PageFrame
      title={t('Topics')}
      within={`${channel.name} · ${realm_name}`}
      before={
        <NarrowLink narrow={{ kind: 'channel', channelId: channel.stream_id }}>
          <ChannelIcon channel={channel} />
          {channel.name}
        </NarrowLink>
      }
      actions={
        subscription !== null &&
        !channel.is_archived && (
          <IconButton label={t('New topic')} icon={Plus} onPress={() => startTopic(channel.stream_id)} />
        )
      }
    >
      {subscription === null && <Reloaded channelId={channel.stream_id} />}
      <TopicList known={known} />
    </PageFrame>
  )
}

function Reloaded({ channelId }: { channelId: number }): ReactNode {
  useReloadedChannel(channelId)
  return null
}

const FILTERS: readonly [TopicFilter, string][] = [
  ['all', t('All')],
  ['unread', t('Unread')],
  ['followed', t('Followed')],
  ['unresolved', t('Unresolved')],
  ['resolved', t('Resolved')],
]

/** The maximum number of rows that are shown at first. */
const SHOWN = 50

function TopicList({ known }: { known: ListedChannel }): ReactNode {
  const { channel } = known
  const { stream_id: channelId } = channel
  const { data, error, refetch } = useQuery(channelTopics(channelId))
  const [filter, setFilter] = useState<TopicFilter>('all')
  const [text, setText] = useState('')
  const [most, showUpTo] = useState(SHOWN)
  const counts = useUnreadCounts()
  const { user_topics } = useOrganization('user_topics')
  const found = useMemo(
    () => data?.filter(({ name }) => matchesTopic(channelId, name, { filter, text, counts, user_topics })) ?? [],
    [data, channelId, filter, text, counts, user_topics],
  )
  const shown = found.slice(0, most)
  const find = useTopicPreviews(
    channelId,
    shown.map(({ max_id }) => max_id),
  )
  const keys = useListKeys<HTMLUListElement>()
  if (error !== null && data === undefined)
    return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading topics')} lines={6} />
  if (data.length === 0)
    return (
      <Empty icon={<TalkDrawing />} isDrawing title={t('No topics yet')}>
        <p>{t('The topics of #{name} appear here once someone posts.', { name: channel.name })}</p>
      </Empty>
    )
  function showAll() {
    setFilter('all')
    setText('')
  }
  return (
    <>
      <search className={css.filterBar}>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend on the page */}
        <div className={chipsCss.chips} role="group" aria-label={t('Filter')}>
          {FILTERS.map(([id, label]) => (
            <button
              key={id}
              type="button"
              className={chipsCss.chip}
              aria-pressed={filter === id}
              onClick={() => setFilter(id)}
            >
              {label}
            </button>
          ))}
        </div>
        <FilterText label={t('Filter topics')} text={text} onText={setText} />
      </search>
      <p className="visually-hidden" role="status">
        {t('{count, number} of {total, plural, one {# topic} other {# topics}}', {
          count: found.length,
          total: data.length,
        })}
      </p>
      {found.length === 0 ? (
        <Empty icon={<TrayDrawing />} isDrawing title={t('No matching topics')}>
          <Button onPress={showAll}>{t('Show all topics')}</Button>
        </Empty>
      ) : (
        <RowMenus>
          <ul
            className={`${conversationRowCss.conversationList} ${conversationRowCss.conversationListWide}`}
            aria-label={t('Topics')}
            {...keys}
          >
            {shown.map(({ name, max_id }) => (
              <TopicRow key={name.toLowerCase()} known={known} topic={name} message={find(max_id)} />
            ))}
          </ul>
        </RowMenus>
      )}
      <ShowMore shown={most} all={found.length} onMore={() => showUpTo(most + SHOWN)} />
    </>
  )
}
