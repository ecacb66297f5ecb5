import { Link, useNavigate } from '@tanstack/react-router'
import CheckCheck from 'lucide-react/icons/check-check'
import InboxIcon from 'lucide-react/icons/inbox'
import ListFilter from 'lucide-react/icons/list-filter'
import Search from 'lucide-react/icons/search'
import SquarePen from 'lucide-react/icons/square-pen'
import { type ReactNode, useMemo, useState } from 'react'
import { useChecklist } from '../../../store/browser/checklist.ts'
import { mutedCheck, unreadStore } from '../../../store/messages/unread-messages.ts'
import { useOrganization } from '../../../store/organization.ts'
import { shortcutLabel } from '../../../store/shortcuts/shortcut-keys.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { IconButton } from '../../../ui/buttons/icon-button.tsx'
import { TalkDrawing, TrayDrawing } from '../../../ui/feedback/drawings.tsx'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { useMedia } from '../../../ui/layout/use-media.ts'
import { PHONE } from '../../../ui/layout/widths.ts'
import { PageFrame } from '../../page-frame.tsx'
import { markAsRead } from '../conversation-menus/mark-read.ts'
import { Checklist } from './checklist.tsx'
import { type FilterFacts, useConversationFilter, useFilterFacts } from './conversation-filter.ts'
import { FilterBar } from './filter-bar.tsx'
import { InboxList } from './inbox-list.tsx'
import { type InboxState, inboxSections } from './inbox-sections.ts'
import { useHasWritten } from './use-has-written.ts'

const CHOICES = ['unread', 'mentions', 'direct', 'followed', 'participated', 'all'] as const

/**
 * The inbox: conversations with unread messages. Muted topics are shown only if they mention the user, or with the
 * filter that includes them.
 */
export function Inbox(): ReactNode {
  const { realm_name } = useOrganization()
  const navigate = useNavigate()
  const isPhone = useMedia(PHONE)
  const [filter, setFilter] = useConversationFilter('inbox', 'unread')
  const [text, setText] = useState('')
  const [isFilterShown, showFilter] = useState(false)
  const isFiltered = filter !== 'unread' || text !== ''
  const state = useInboxState(useFilterFacts(filter))
  const all = useMemo(() => inboxSections(state, 'unread'), [state])
  const sections = useMemo(() => inboxSections(state, filter, text), [state, filter, text])
  const hasMuted = useMemo(() => inboxSections(state, 'all').length > 0, [state])
  const conversations = all.flatMap((section) => section.conversations)
  const ids = conversations.flatMap((one) => one.ids)
  const about = t(
    '{count, plural, one {# unread} other {# unread}} in {places, plural, one {# conversation} other {# conversations}}',
    { count: ids.length, places: conversations.length },
  )
  function showAll() {
    setFilter('unread')
    setText('')
    showFilter(false)
  }
  return (
    <PageFrame
      title={t('Inbox')}
      within={realm_name}
      icon={<InboxIcon className="icon" aria-hidden="true" />}
      about={ids.length > 0 && about}
      actions={
        <>
          {ids.length > 0 && (
            <IconButton label={t('Mark all as read')} icon={CheckCheck} onPress={() => void markAsRead(ids)} />
          )}
          {isPhone ? (
            <>
              {ids.length > 0 && (
                <IconButton
                  label={t('Filter')}
                  icon={ListFilter}
                  isPressed={isFilterShown || isFiltered}
                  onPress={() => (isFiltered ? showAll() : showFilter(!isFilterShown))}
                />
              )}
              <IconButton label={t('New message')} icon={SquarePen} onPress={() => void navigate({ to: '/dm' })} />
            </>
          ) : (
            <IconButton
              label={t('Search')}
              keys={shortcutLabel('/')}
              icon={Search}
              onPress={() => void navigate({ to: '/search' })}
            />
          )}
        </>
      }
    >
      <Checklist />
      {ids.length === 0 && !hasMuted ? (
        <NothingUnread />
      ) : (
        <>
          {(!isPhone || isFilterShown || isFiltered) && (
            <FilterBar
              choices={CHOICES}
              filter={filter}
              onFilter={setFilter}
              channels={all.flatMap(({ channel }) => (channel === null ? [] : [channel]))}
              text={text}
              onText={setText}
            />
          )}
          {sections.length === 0 ? (
            <Empty icon={<TrayDrawing />} isDrawing title={t('Nothing unread here')}>
              <Button onPress={showAll}>{t('Show all unread')}</Button>
            </Empty>
          ) : (
            <InboxList sections={sections} isFiltered={isFiltered} />
          )}
        </>
      )}
    </PageFrame>
  )
}

/** The empty inbox. It welcomes new users. For users without channels, it has a link to the list of channels. */
function NothingUnread(): ReactNode {
  const { subscriptions, is_guest, realm_name } = useOrganization()
  const isNew = useChecklist() === 'shown'
  const hasWritten = useHasWritten(isNew)
  if (subscriptions.length > 0 && isNew && hasWritten === false)
    return (
      <Empty icon={<TalkDrawing />} isDrawing title={t('Welcome to {realm}', { realm: realm_name })}>
        <p>{t('Messages that you have not read will appear here.')}</p>
      </Empty>
    )
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
          ? t('The person who invited you can add you to channels. Messages in those channels will appear here.')
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

function useInboxState(facts: FilterFacts): InboxState {
  const unread = unreadStore.use()
  const { subscriptions, user_topics } = useOrganization()
  return useMemo(
    () => ({
      unread: [...unread.conversations.values()],
      facts,
      subscriptions,
      isMuted: mutedCheck({ subscriptions, user_topics }),
    }),
    [unread, facts, subscriptions, user_topics],
  )
}
