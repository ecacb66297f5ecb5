import { Link } from '@tanstack/react-router'
import AtSign from 'lucide-react/icons/at-sign'
import CalendarClock from 'lucide-react/icons/calendar-clock'
import Clock from 'lucide-react/icons/clock'
import InboxIcon from 'lucide-react/icons/inbox'
import MessagesSquare from 'lucide-react/icons/messages-square'
import PencilLine from 'lucide-react/icons/pencil-line'
import Search from 'lucide-react/icons/search'
import Star from 'lucide-react/icons/star'
import type { ReactNode } from 'react'
import type { Narrow } from '../../../store/messages/narrow.ts'
import { unreadCounts, useTotalUnreadCount } from '../../../store/messages/unread-messages.ts'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { NarrowLink } from '../narrow-link.tsx'
import { useSavedDrafts } from '../unsent/saved-drafts.ts'
import { CountPill } from './count-pill.tsx'

/** Links to the views that combine all conversations. */
export function ViewLinks({ current }: { current: Narrow | null }): ReactNode {
  const { user_id, scheduled_messages } = useOrganization()
  const drafts = useSavedDrafts(user_id)
  return (
    <ul>
      <li>
        <Link to="/inbox" className="pane-link" activeOptions={{ includeSearch: false }}>
          <InboxIcon className="icon" aria-hidden="true" />
          {t('Inbox')}
          <CountPill count={useTotalUnreadCount()} />
        </Link>
      </li>
      <li>
        <Link to="/recent" className="pane-link" activeOptions={{ includeSearch: false }}>
          <Clock className="icon" aria-hidden="true" />
          {t('Recent')}
        </Link>
      </li>
      <li>
        <NarrowLink narrow={COMBINED} className="pane-link" isCurrent={current?.kind === 'combined'}>
          <MessagesSquare className="icon" aria-hidden="true" />
          {t('Combined')}
        </NarrowLink>
      </li>
      <li>
        <NarrowLink narrow={MENTIONS} className="pane-link" isCurrent={current?.kind === 'mentions'}>
          <AtSign className="icon" aria-hidden="true" />
          {t('Mentions')}
          <CountPill count={{ messages: unreadCounts.usePart(({ mentions }) => mentions), mentions: 0 }} />
        </NarrowLink>
      </li>
      <li>
        <NarrowLink narrow={STARRED} className="pane-link" isCurrent={current?.kind === 'starred'}>
          <Star className="icon" aria-hidden="true" />
          {t('Starred')}
        </NarrowLink>
      </li>
      <li>
        <Link to="/drafts" className="pane-link" activeOptions={{ includeSearch: false }}>
          <PencilLine className="icon" aria-hidden="true" />
          {t('Drafts')}
          <QuietCount count={drafts.length} />
        </Link>
      </li>
      {scheduled_messages.length > 0 && (
        <li>
          <Link to="/scheduled" className="pane-link" activeOptions={{ includeSearch: false }}>
            <CalendarClock className="icon" aria-hidden="true" />
            {t('Scheduled')}
            <QuietCount count={scheduled_messages.length} />
          </Link>
        </li>
      )}
      <li>
        <Link to="/search" className="pane-link" activeOptions={{ includeSearch: false }}>
          <Search className="icon" aria-hidden="true" />
          {t('Search')}
        </Link>
      </li>
    </ul>
  )
}

function QuietCount({ count }: { count: number }): ReactNode {
  return count > 0 && <span className="count-pill count-pill-quiet">{count}</span>
}

const COMBINED = { kind: 'combined' } as const
const MENTIONS = { kind: 'mentions' } as const
const STARRED = { kind: 'starred' } as const
