import { useQuery } from '@tanstack/react-query'
import Clock from 'lucide-react/icons/clock'
import { type ReactNode, useMemo, useRef } from 'react'
import { toAppError } from '../../../store/app-error.ts'
import { directConversations } from '../../../store/messages/direct-conversations.ts'
import { type RecentConversation, recentConversations, recentMessages } from '../../../store/messages/recent.ts'
import { conversationKey } from '../../../store/messages/unread.ts'
import { mutedCheck, unreadStore } from '../../../store/messages/unread-messages.ts'
import { useOrganization } from '../../../store/organization.ts'
import { useMutedIds } from '../../../store/people/muted.ts'
import { t } from '../../../text/t.ts'
import { TalkDrawing } from '../../../ui/feedback/drawings.tsx'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { ListPage } from '../list-page.tsx'
import { moveInPane } from '../pane/move-in-pane.ts'
import { RowMenus } from '../pane/row-menu.tsx'
import { ConversationRow } from './conversation-row.tsx'

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
    const unmuted = data?.messages.filter((message) => !mutedIds.has(message.sender_id)) ?? []
    return recentConversations(unmuted, others, user_id)
  }, [data, others, user_id, mutedIds])
  const byId = useMemo(() => new Map(data?.messages.map((message) => [message.id, message])), [data])
  const list = useRef<HTMLUListElement>(null)
  if (error !== null && data === undefined)
    return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading conversations')} lines={6} />
  if (conversations.length === 0)
    return (
      <Empty icon={<TalkDrawing />} isDrawing title={t('No messages yet')}>
        <p>{t('Topics and direct messages with recent activity appear here.')}</p>
      </Empty>
    )
  return (
    <RowMenus>
      <ul
        ref={list}
        className="conversation-list conversation-list-wide"
        onKeyDown={(event) => list.current && moveInPane(list.current, event, '.conversation-row')}
      >
        {conversations.map(({ conversation, latestId }) => (
          <ConversationRow
            key={conversationKey(conversation)}
            conversation={conversation}
            message={byId.get(latestId)}
            showsChannel
          />
        ))}
      </ul>
    </RowMenus>
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
