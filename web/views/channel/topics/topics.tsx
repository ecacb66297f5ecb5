import { useQuery } from '@tanstack/react-query'
import { Navigate, useParams } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import { type ReactNode, useMemo, useState } from 'react'
import { toAppError } from '../../../store/app-error.ts'
import { useTopicPreviews } from '../../../store/messages/previews.ts'
import { channelTopics } from '../../../store/messages/topics.ts'
import { useUnreadCounts } from '../../../store/messages/unread-messages.ts'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { IconButton } from '../../../ui/buttons/icon-button.tsx'
import { ShowMore } from '../../../ui/buttons/show-more.tsx'
import { TalkDrawing, TrayDrawing } from '../../../ui/feedback/drawings.tsx'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { findListedChannel, type ListedChannel } from '../../channels/listing.ts'
import { mayRead } from '../../channels/rights.ts'
import { FilterText } from '../../chat/list/filter-bar.tsx'
import { useListKeys } from '../../chat/list/use-list-keys.ts'
import { NarrowLink } from '../../chat/narrow-link.tsx'
import { RowMenus } from '../../chat/sidebar/row-menu.tsx'
import { useStartTopic } from '../../chat/use-start-topic.ts'
import { PageFrame } from '../../page-frame.tsx'
import { ChannelIcon } from '../channel-icon.tsx'
import { useReloadedChannel } from '../use-reloaded-channel.ts'
import { matchesTopic, type TopicFilter } from './topic-filter.ts'
import { TopicRow } from './topic-row.tsx'

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
  const { realm_name } = useOrganization()
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
  const { user_topics } = useOrganization()
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
      <search className="filter-bar">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend on the page */}
        <div className="chips" role="group" aria-label={t('Filter')}>
          {FILTERS.map(([id, label]) => (
            <button key={id} type="button" className="chip" aria-pressed={filter === id} onClick={() => setFilter(id)}>
              {label}
            </button>
          ))}
        </div>
        <FilterText label={t('Filter topics')} text={text} onText={setText} />
      </search>
      <p className="visually-hidden" role="status">
        {t('{count, number} of {total, plural, one {# topic} other {# topics}}', { count: found.length, total: data.length })}
      </p>
      {found.length === 0 ? (
        <Empty icon={<TrayDrawing />} isDrawing title={t('No matching topics')}>
          <Button onPress={showAll}>{t('Show all topics')}</Button>
        </Empty>
      ) : (
        <RowMenus>
          <ul className="conversation-list conversation-list-wide" aria-label={t('Topics')} {...keys}>
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
