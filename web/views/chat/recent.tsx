import { useQuery } from '@tanstack/react-query'
import Clock from 'lucide-react/icons/clock'
import MessageCircle from 'lucide-react/icons/message-circle'
import { type ReactNode, useMemo, useRef } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { conversations } from '../../store/messages/conversations.ts'
import { type RecentSpot, recentMessages, recentSpots } from '../../store/messages/recent.ts'
import { keyOfSpot } from '../../store/messages/unread.ts'
import { mutedFinder, unreadMessages, useUnreadCounts } from '../../store/messages/unread-messages.ts'
import { findChannel, useOrganization } from '../../store/organization.ts'
import { useMutedIds } from '../../store/people/muted.ts'
import { useConversationName, usePeople } from '../../store/people/people.ts'
import { Empty } from '../../ui/feedback/empty.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { Loading } from '../../ui/feedback/loading.tsx'
import { PageHead } from '../../ui/layout/page.tsx'
import { Avatar } from '../../ui/people/avatar.tsx'
import { Time } from '../../ui/text/time.tsx'
import { ChannelMark } from '../channel/channel-mark.tsx'
import { ChatLayout } from './chat-layout.tsx'
import { NarrowLink } from './narrow-link.tsx'
import { CountPill } from './pane/count-pill.tsx'
import { moveInPane } from './pane/move-in-pane.ts'
import './recent.css'
import { TopicName } from './topic-name.tsx'

/** How many of those who wrote in a conversation are shown. */
const SHOWN_WRITERS = 4

/** The topics and conversations in which something was said lately, or is not read. */
export function Recent(): ReactNode {
  const { realm_name } = useOrganization()
  return (
    <ChatLayout>
      <PageHead title="Recent" within={realm_name}>
        <p>Where something was said last, and by whom. What is muted is left out.</p>
      </PageHead>
      <RecentList />
    </ChatLayout>
  )
}

function RecentList(): ReactNode {
  const { data, error, refetch } = useQuery(recentMessages)
  const others = useOthers()
  const { user_id } = useOrganization()
  const mutedIds = useMutedIds()
  const spots = useMemo(() => {
    const heard = data?.messages.filter((message) => !mutedIds.has(message.sender_id)) ?? []
    return recentSpots(heard, others, user_id)
  }, [data, others, user_id, mutedIds])
  const list = useRef<HTMLUListElement>(null)
  if (error !== null && data === undefined)
    return <ErrorNotice trouble={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label="Loading the conversations" lines={6} />
  if (spots.length === 0)
    return (
      <Empty icon={<Clock />} title="Nothing was said yet">
        <p>Every topic and conversation in which something is said appears here.</p>
      </Empty>
    )
  return (
    <ul ref={list} className="recent card" onKeyDown={(event) => list.current && moveInPane(list.current, event)}>
      {spots.map((recent) => (
        <li key={keyOfSpot(recent.spot)}>
          <RecentRow recent={recent} />
        </li>
      ))}
    </ul>
  )
}

/** What is not read, but for what is muted, and one's direct messages: these are shown however long ago they were. */
function useOthers(): { spot: RecentSpot['spot']; latestId: number }[] {
  const known = conversations.use()
  const unread = unreadMessages.use()
  const { subscriptions, user_topics } = useOrganization()
  const mutedIds = useMutedIds()
  return useMemo(() => {
    const isMuted = mutedFinder({ subscriptions, user_topics })
    const isIn = new Set(subscriptions.map(({ stream_id }) => stream_id))
    const waiting = [...unread.spots.values()].filter(
      ({ spot }) => spot.kind === 'direct' || (isIn.has(spot.channelId) && !isMuted(spot.channelId, spot.topic)),
    )
    const talks = known.filter(({ people }) => !people.every((id) => mutedIds.has(id)))
    return [
      ...waiting.map(({ spot, ids }) => ({ spot, latestId: ids.at(-1)! })),
      ...talks.map(({ people, latestId }) => ({ spot: { kind: 'direct' as const, people }, latestId })),
    ]
  }, [known, unread, subscriptions, user_topics, mutedIds])
}

function RecentRow({ recent }: { recent: RecentSpot }): ReactNode {
  const { spot, at, writers } = recent
  const { spots } = useUnreadCounts()
  const nameOf = useConversationName()
  const channel = spot.kind === 'topic' ? findChannel(spot.channelId) : undefined
  return (
    <NarrowLink narrow={spot} className="pane-link recent-row">
      <span className="recent-place">
        {spot.kind === 'topic' ? (
          <>
            <span className="recent-channel">
              {channel && <ChannelMark channel={channel} />}
              {channel?.name} ›
            </span>{' '}
            <TopicName topic={spot.topic} />
          </>
        ) : (
          <>
            <MessageCircle className="icon" aria-hidden="true" /> {nameOf(spot.people)}
          </>
        )}
      </span>
      <Writers ids={spot.kind === 'direct' && writers.length === 0 ? spot.people : writers} />
      <span className="recent-at soft small">{at !== null && <Time at={at} as="ago" />}</span>
      <span className="recent-count">
        <CountPill count={spots.get(keyOfSpot(spot))} />
      </span>
    </NarrowLink>
  )
}

function Writers({ ids }: { ids: readonly number[] }): ReactNode {
  const find = usePeople()
  const shown = ids.slice(0, SHOWN_WRITERS).map((id) => ({ id, person: find(id) }))
  const more = ids.length - shown.length
  const names = shown.map(({ person }) => person?.full_name ?? 'Unknown user').join(', ')
  const words = more === 0 ? names : `${names} and ${more} more`
  return (
    <span className="recent-writers" title={words}>
      <span className="visually-hidden">, {words}, </span>
      {shown.map(({ id, person }) => (
        <Avatar key={id} name={person?.full_name ?? '?'} url={person?.avatar_url ?? null} />
      ))}
      {more > 0 && (
        <span className="soft small" aria-hidden="true">
          +{more}
        </span>
      )}
    </span>
  )
}
