import { useQuery } from '@tanstack/react-query'
import Clock from 'lucide-react/icons/clock'
import MessageCircle from 'lucide-react/icons/message-circle'
import { type ReactNode, useMemo, useRef } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { directConversations } from '../../store/messages/direct-conversations.ts'
import { type RecentConversation, recentConversations, recentMessages } from '../../store/messages/recent.ts'
import { conversationKey } from '../../store/messages/unread.ts'
import { mutedCheck, unreadStore, useUnreadCounts } from '../../store/messages/unread-messages.ts'
import { findChannel, useOrganization } from '../../store/organization.ts'
import { useMutedIds } from '../../store/people/muted.ts'
import { useConversationName, usePeople } from '../../store/people/people.ts'
import { Empty } from '../../ui/feedback/empty.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { Loading } from '../../ui/feedback/loading.tsx'
import { Avatar } from '../../ui/people/avatar.tsx'
import { Time } from '../../ui/text/time.tsx'
import { ChannelIcon } from '../channel/channel-icon.tsx'
import { ListPage } from './list-page.tsx'
import { NarrowLink } from './narrow-link.tsx'
import { CountPill } from './pane/count-pill.tsx'
import { moveInPane } from './pane/move-in-pane.ts'
import './recent.css'
import { t } from '../../text/t.ts'
import { TopicName } from './topic-name.tsx'

/** The number of senders that are shown for a conversation. */
const SHOWN_WRITERS = 4

/** Conversations with recent or unread messages. */
export function Recent(): ReactNode {
  const { realm_name } = useOrganization()
  return (
    <ListPage
      title={t('Recent')}
      within={realm_name}
      icon={<Clock className="icon" aria-hidden="true" />}
      about={t('Your latest conversations. Muted ones are hidden.')}
    >
      <RecentList />
    </ListPage>
  )
}

function RecentList(): ReactNode {
  const { data, error, refetch } = useQuery(recentMessages)
  const others = useOthers()
  const { user_id } = useOrganization()
  const mutedIds = useMutedIds()
  const conversations = useMemo(() => {
    const heard = data?.messages.filter((message) => !mutedIds.has(message.sender_id)) ?? []
    return recentConversations(heard, others, user_id)
  }, [data, others, user_id, mutedIds])
  const list = useRef<HTMLUListElement>(null)
  if (error !== null && data === undefined)
    return <ErrorNotice trouble={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading conversations')} lines={6} />
  if (conversations.length === 0)
    return (
      <Empty icon={<Clock />} title={t('No messages yet')}>
        <p>{t('Topics and direct messages with recent activity appear here.')}</p>
      </Empty>
    )
  return (
    <ul ref={list} className="recent card" onKeyDown={(event) => list.current && moveInPane(list.current, event)}>
      {conversations.map((recent) => (
        <li key={conversationKey(recent.conversation)}>
          <RecentRow recent={recent} />
        </li>
      ))}
    </ul>
  )
}

/** Returns unread conversations that are not muted, and all direct messages, whatever their age. */
function useOthers(): { conversation: RecentConversation['conversation']; latestId: number }[] {
  const known = directConversations.use()
  const unread = unreadStore.use()
  const { subscriptions, user_topics } = useOrganization()
  const mutedIds = useMutedIds()
  return useMemo(() => {
    const isMuted = mutedCheck({ subscriptions, user_topics })
    const isIn = new Set(subscriptions.map(({ stream_id }) => stream_id))
    const waiting = [...unread.conversations.values()].filter(
      ({ conversation: ref }) =>
        ref.kind === 'direct' || (isIn.has(ref.channelId) && !isMuted(ref.channelId, ref.topic)),
    )
    const talks = known.filter(({ people }) => !people.every((id) => mutedIds.has(id)))
    return [
      ...waiting.map(({ conversation, ids }) => ({ conversation, latestId: ids.at(-1)! })),
      ...talks.map(({ people, latestId }) => ({ conversation: { kind: 'direct' as const, people }, latestId })),
    ]
  }, [known, unread, subscriptions, user_topics, mutedIds])
}

function RecentRow({ recent }: { recent: RecentConversation }): ReactNode {
  const { conversation: ref, at, writers } = recent
  const { spots: conversations } = useUnreadCounts()
  const nameOf = useConversationName()
  const channel = ref.kind === 'topic' ? findChannel(ref.channelId) : undefined
  return (
    <NarrowLink narrow={ref} className="pane-link recent-row">
      <span className="recent-place">
        {ref.kind === 'topic' ? (
          <>
            <span className="recent-channel">
              {channel && <ChannelIcon channel={channel} />}
              {channel?.name} ›
            </span>{' '}
            <TopicName topic={ref.topic} />
          </>
        ) : (
          <>
            <MessageCircle className="icon" aria-hidden="true" /> {nameOf(ref.people)}
          </>
        )}
      </span>
      <Writers ids={ref.kind === 'direct' && writers.length === 0 ? ref.people : writers} />
      <span className="recent-at soft small">{at !== null && <Time at={at} as="ago" />}</span>
      <span className="recent-count">
        <CountPill count={conversations.get(conversationKey(ref))} />
      </span>
    </NarrowLink>
  )
}

function Writers({ ids }: { ids: readonly number[] }): ReactNode {
  const find = usePeople()
  const shown = ids.slice(0, SHOWN_WRITERS).map((id) => ({ id, person: find(id) }))
  const more = ids.length - shown.length
  const names = shown.map(({ person }) => person?.full_name ?? t('Unknown user')).join(', ')
  const text = more === 0 ? names : t('{names} and {more} more', { names, more })
  return (
    <span className="recent-writers" title={text}>
      <span className="visually-hidden">, {text}, </span>
      {shown.map(({ id, person }) => (
        <Avatar key={id} id={id} name={person?.full_name ?? '?'} url={person?.avatar_url ?? null} />
      ))}
      {more > 0 && (
        <span className="soft small" aria-hidden="true">
          +{more}
        </span>
      )}
    </span>
  )
}
