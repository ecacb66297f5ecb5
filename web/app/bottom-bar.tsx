import { Link, useLocation } from '@tanstack/react-router'
import { useSelector } from '@tanstack/react-store'
import CircleUser from 'lucide-react/icons/circle-user'
import Inbox from 'lucide-react/icons/inbox'
import MessagesSquare from 'lucide-react/icons/messages-square'
import Search from 'lucide-react/icons/search'
import type { ReactNode } from 'react'
import { useTotalUnreadCount } from '../messages/unread.ts'
import { CountPill } from '../navigation/count-pill.tsx'
import { t } from '../text/t.ts'
import { landmarks } from '../ui/landmarks.ts'
import * as css from './bottom-bar.module.css'

/**
 * The items of the bar. `holds` matches the paths on which an item is marked as current. Conversations belong to
 * “Chats”.
 */
const ITEMS = [
  { to: '/inbox', label: t('Inbox'), icon: Inbox, holds: /^\/inbox/ },
  {
    to: '/chats',
    label: t('Chats'),
    icon: MessagesSquare,
    holds: /^\/(?:chats|channels|dm|recent|combined|mentions|starred|reactions|drafts|scheduled)/,
  },
  { to: '/search', label: t('Search'), icon: Search, holds: /^\/search/ },
  {
    to: '/you',
    label: t('You'),
    icon: CircleUser,
    holds: /^\/(?:you|settings|people|organization|invitations|outbox|add-integration|help)/,
  },
] as const

/** The navigation at the bottom of a phone's window. It is hidden while the compose box is open. */
export function BottomBar(): ReactNode {
  const { pathname } = useLocation()
  const isWriting = useSelector(landmarks, (present) => present.has('writing'))
  if (isWriting) return null
  return (
    <nav className={css.bottomBar} aria-label={t('Pages')} data-pane>
      {ITEMS.map(({ to, label, icon: Icon, holds }) => (
        <Link
          key={to}
          to={to}
          className={css.bottomBarItem}
          activeOptions={{ exact: true }}
          activeProps={NOT_MARKED}
          aria-current={holds.test(pathname) ? 'page' : undefined}
        >
          <Icon className="icon" aria-hidden="true" />
          {label}
          {to === '/inbox' && <InboxCount />}
        </Link>
      ))}
    </nav>
  )
}

function InboxCount(): ReactNode {
  const { messages } = useTotalUnreadCount()
  return <CountPill count={{ messages, mentions: 0 }} isLoud />
}

const NOT_MARKED = {}
