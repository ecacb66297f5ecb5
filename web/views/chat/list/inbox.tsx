import { Link, useNavigate } from '@tanstack/react-router'
import Check from 'lucide-react/icons/check'
import CheckCheck from 'lucide-react/icons/check-check'
import InboxIcon from 'lucide-react/icons/inbox'
import Search from 'lucide-react/icons/search'
import SquarePen from 'lucide-react/icons/square-pen'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { TopicPolicy } from '../../../store/messages/message.ts'
import { type ConversationRef, isSameTopic } from '../../../store/messages/narrow.ts'
import { usePreviews } from '../../../store/messages/previews.ts'
import { conversationKey, type UnreadConversation } from '../../../store/messages/unread.ts'
import { mutedCheck, unreadStore, useUnreadCounts } from '../../../store/messages/unread-messages.ts'
import { type Organization, useOrganization } from '../../../store/organization.ts'
import { useConversationName } from '../../../store/people/people.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { IconButton } from '../../../ui/buttons/icon-button.tsx'
import { TalkDrawing, TrayDrawing } from '../../../ui/feedback/drawings.tsx'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { useMedia } from '../../../ui/layout/use-media.ts'
import { PHONE } from '../../../ui/layout/widths.ts'
import { ChannelIcon } from '../../channel/channel-icon.tsx'
import { ListPage } from '../list-page.tsx'
import { NarrowLink } from '../narrow-link.tsx'
import { moveInPane } from '../pane/move-in-pane.ts'
import { RowMenus } from '../pane/row-menu.tsx'
import { markAsRead } from '../place-menu/mark-read.ts'
import { Checklist } from './checklist.tsx'
import { ConversationRow } from './conversation-row.tsx'
import { type InboxFilter, InboxFilterChips } from './inbox-filter.tsx'
import { type InboxSection, type InboxState, inboxSections } from './inbox-sections.ts'
import './inbox.css'

/** The start page: unread messages by conversation; of muted ones, only mentions. */
export function Inbox(): ReactNode {
  const { realm_name } = useOrganization()
  const navigate = useNavigate()
  const isPhone = useMedia(PHONE)
  const state = useInboxState()
  const [filter, setFilter] = useState<InboxFilter>('unread')
  const all = useMemo(() => inboxSections(state, 'unread'), [state])
  const sections = useMemo(() => inboxSections(state, filter), [state, filter])
  const conversations = all.flatMap((section) => section.conversations)
  const ids = conversations.flatMap((one) => one.ids)
  const about = t(
    '{count, plural, one {# unread} other {# unread}} in {places, plural, one {# conversation} other {# conversations}}',
    { count: ids.length, places: conversations.length },
  )
  return (
    <ListPage
      title={t('Inbox')}
      within={realm_name}
      icon={<InboxIcon className="icon" aria-hidden="true" />}
      about={ids.length > 0 && about}
      actions={
        <>
          {ids.length > 0 && (
            <IconButton label={t('Mark all as read')} icon={CheckCheck} onPress={() => void markAsRead(ids)} />
          )}
          <IconButton label={t('Search')} icon={Search} onPress={() => void navigate({ to: '/search' })} />
          {isPhone && (
            <IconButton label={t('New message')} icon={SquarePen} onPress={() => void navigate({ to: '/dm' })} />
          )}
        </>
      }
    >
      <Checklist />
      {ids.length === 0 ? (
        <NothingUnread />
      ) : (
        <>
          <InboxFilterChips
            filter={filter}
            onFilter={setFilter}
            channels={all.flatMap(({ channel }) => (channel === null ? [] : [channel]))}
          />
          {sections.length === 0 ? (
            <Empty icon={<TrayDrawing />} isDrawing title={t('Nothing unread here')}>
              <Button onPress={() => setFilter('unread')}>{t('Show all unread')}</Button>
            </Empty>
          ) : (
            <Sections sections={sections} />
          )}
        </>
      )}
    </ListPage>
  )
}

/** The empty inbox; users without channels are led to some. */
function NothingUnread(): ReactNode {
  const { subscriptions, is_guest } = useOrganization()
  if (subscriptions.length > 0)
    return (
      <Empty icon={<TrayDrawing />} isDrawing title={t('You’re all caught up')}>
        <p>{t('New messages appear here.')}</p>
        <Link to="/recent" className="button">
          {t('See recent conversations')}
        </Link>
      </Empty>
    )
  return (
    <Empty icon={<TalkDrawing />} isDrawing title={t('No channels yet')}>
      <p>
        {is_guest
          ? t('The person who invited you can add you to channels. Their messages will appear here.')
          : t('Join a channel to see its messages here.')}
      </p>
      {!is_guest && (
        <Link to="/channels" search={{ show: 'available' }} className="button button-primary">
          {t('Browse channels')}
        </Link>
      )}
    </Empty>
  )
}

function useInboxState(): InboxState {
  const counts = useUnreadCounts()
  const unread = unreadStore.use()
  const { subscriptions, user_topics } = useOrganization()
  return useMemo(
    () => ({
      unread: [...unread.conversations.values()],
      counts,
      subscriptions,
      isMuted: mutedCheck({ subscriptions, user_topics }),
      isFollowed: (conversation) => isFollowed(user_topics, conversation),
    }),
    [unread, counts, subscriptions, user_topics],
  )
}

const isFollowed = (topics: Organization['user_topics'], conversation: ConversationRef): boolean =>
  conversation.kind === 'topic' &&
  topics.some(
    (one) =>
      one.visibility_policy === TopicPolicy.followed &&
      one.stream_id === conversation.channelId &&
      isSameTopic(one.topic_name, conversation.topic),
  )

function Sections({ sections }: { sections: readonly InboxSection[] }): ReactNode {
  const list = useRef<HTMLDivElement>(null)
  const latest = sections.flatMap(({ conversations }) => conversations.map(({ ids }) => ids.at(-1) ?? 0))
  const find = usePreviews(latest)
  return (
    <RowMenus>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between rows, besides Tab */}
      <div
        ref={list}
        className="inbox"
        onKeyDown={(event) => list.current && moveInPane(list.current, event, '.conversation-row')}
      >
        {sections.map(({ channel, conversations }) => {
          const titleId = `inbox-${channel?.stream_id ?? 'direct'}`
          return (
            <section key={titleId} aria-labelledby={titleId}>
              <header className="inbox-head">
                <h2 id={titleId}>
                  {channel === null ? (
                    t('Direct messages')
                  ) : (
                    <NarrowLink narrow={{ kind: 'channel', channelId: channel.stream_id }}>
                      <ChannelIcon channel={channel} />
                      {channel.name}
                    </NarrowLink>
                  )}
                </h2>
                <span aria-hidden="true">{conversations.flatMap(({ ids }) => ids).length}</span>
              </header>
              <ul className="conversation-list">
                {conversations.map((one) => (
                  <ConversationRow
                    key={conversationKey(one.conversation)}
                    conversation={one.conversation}
                    message={find(one.ids.at(-1) ?? 0)}
                    action={<MarkAsRead unread={one} />}
                  />
                ))}
              </ul>
            </section>
          )
        })}
      </div>
    </RowMenus>
  )
}

function MarkAsRead({ unread: { conversation, ids } }: { unread: UnreadConversation }): ReactNode {
  const nameOf = useConversationName()
  const name = conversation.kind === 'direct' ? nameOf(conversation.people) : conversation.topic || t('general chat')
  return <IconButton label={t('Mark {name} as read', { name })} icon={Check} onPress={() => void markAsRead(ids)} />
}
