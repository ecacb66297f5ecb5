import { useQuery } from '@tanstack/react-query'
import { useSelector } from '@tanstack/react-store'
import Clock from 'lucide-react/icons/clock'
import { type ReactNode, useMemo, useState } from 'react'
import { sortedChannels } from '../channels/channel.ts'
import { RowMenus } from '../conversation/row-menus.tsx'
import * as css from '../message-view/conversation-row.module.css'
import { ConversationRow } from '../message-view/conversation-row.tsx'
import {
  directConversations,
  loadOlderRecent,
  messagesAtHand,
  type RecentConversation,
  recentConversations,
  recentMessages,
} from '../messages/conversations.ts'
import type { Message } from '../messages/message.ts'
import { usePreviews } from '../messages/previews.ts'
import { conversationKey, isTopicMuted, unreadStore } from '../messages/unread.ts'
import { PageFrame } from '../navigation/page.tsx'
import { toAppError } from '../store/app-error.ts'
import { useOrganization } from '../store/organization.ts'
import { useMutedIds } from '../store/people.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Empty, Loading, TalkDrawing, TrayDrawing } from '../ui/page-states.tsx'
import { showToast } from '../ui/toasts.ts'
import { matchesConversation, useConversationFilter, useFilterFacts } from './list/conversation-filter.ts'
import { FilterBar } from './list/filter-bar.tsx'
import { MarkAsRead, useListKeys } from './list/list-keys.tsx'

const CHOICES = ['all', 'unread', 'participated', 'followed', 'mentions', 'direct'] as const

/** The list of conversations with recent or unread messages. */
export function Recent(): ReactNode {
  const { realm_name } = useOrganization('realm_name')
  return (
    <PageFrame
      title={t('Recent')}
      within={realm_name}
      icon={<Clock className="icon" aria-hidden="true" />}
      about={t('Your latest conversations. Muted ones are hidden.')}
    >
      <RecentList />
    </PageFrame>
  )
}

function RecentList(): ReactNode {
  const { data: loaded, error, refetch } = useQuery(recentMessages)
  const data = useMemo(() => {
    const messages = loaded === undefined && error !== null ? messagesAtHand() : []
    return loaded ?? (messages.length > 0 ? { messages, hasOldest: true } : undefined)
  }, [loaded, error])
  const others = useOthers()
  const { user_id, subscriptions } = useOrganization('user_id', 'subscriptions')
  const isMuted = useSelector(isTopicMuted)
  const mutedIds = useMutedIds()
  const conversations = useMemo(() => {
    const unmuted = data?.messages.filter(
      ({ sender_id, stream_id, subject }) =>
        !mutedIds.has(sender_id) && (stream_id === undefined || !isMuted(stream_id, subject)),
    )
    return recentConversations(unmuted ?? [], others, user_id)
  }, [data, others, user_id, mutedIds, isMuted])
  const [filter, setFilter] = useConversationFilter('recent', 'all')
  const [text, setText] = useState('')
  const facts = useFilterFacts(filter)
  const shown = useMemo(
    () => conversations.filter(({ conversation }) => matchesConversation(conversation, filter, text, facts)),
    [conversations, filter, text, facts],
  )
  if (error !== null && data === undefined)
    return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading conversations')} lines={6} />
  if (conversations.length === 0)
    return (
      <Empty icon={<TalkDrawing />} isDrawing title={t('No messages yet')}>
        <p>{t('Topics and direct messages with recent activity appear here.')}</p>
      </Empty>
    )
  function showAll() {
    setFilter('all')
    setText('')
  }
  return (
    <>
      <FilterBar
        choices={CHOICES}
        filter={filter}
        onFilter={setFilter}
        channels={sortedChannels(subscriptions)}
        text={text}
        onText={setText}
      />
      {shown.length === 0 ? (
        <Empty icon={<TrayDrawing />} isDrawing title={t('No matching conversations')}>
          <Button onPress={showAll}>{t('Show all conversations')}</Button>
        </Empty>
      ) : (
        <Rows conversations={shown} messages={data.messages} />
      )}
      {!data.hasOldest && <LoadOlder />}
    </>
  )
}

function Rows(props: { conversations: readonly RecentConversation[]; messages: readonly Message[] }): ReactNode {
  const { conversations, messages } = props

  const byId = useMemo(() => new Map(messages.map((message) => [message.id, message])), [messages])
  const others = conversations.filter(({ latestId }) => !byId.has(latestId)).map(({ latestId }) => latestId)
  const find = usePreviews(others)
  const keys = useListKeys<HTMLUListElement>()
  return (
    <RowMenus>
      <ul className={`${css.conversationList} ${css.conversationListWide}`} {...keys}>
        {conversations.map(({ conversation, latestId, writers }) => (
          <ConversationRow
            key={conversationKey(conversation)}
            conversation={conversation}
            message={byId.get(latestId) ?? find(latestId)}
            showsChannel
            writers={writers}
            action={<MarkAsRead conversation={conversation} />}
          />
        ))}
      </ul>
    </RowMenus>
  )
}

function LoadOlder(): ReactNode {
  const [isPending, setPending] = useState(false)
  async function load() {
    setPending(true)
    try {
      await loadOlderRecent()
    } catch (error) {
      showToast(toAppError(error).message, { kind: 'error' })
    }
    setPending(false)
  }
  return (
    <div className="show-more">
      <Button isPending={isPending} onPress={() => void load()}>
        {t('Show older conversations')}
      </Button>
    </div>
  )
}

/** Returns all direct message conversations, and all unmuted topics with unread messages, however old they are. */
function useOthers(): { conversation: RecentConversation['conversation']; latestId: number }[] {
  const known = useSelector(directConversations)
  const unread = useSelector(unreadStore)
  const { subscriptions } = useOrganization('subscriptions')
  const isMuted = useSelector(isTopicMuted)
  const mutedIds = useMutedIds()
  return useMemo(() => {
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
  }, [known, unread, subscriptions, isMuted, mutedIds])
}
