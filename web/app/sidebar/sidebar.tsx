import { Link } from '@tanstack/react-router'
import Search from 'lucide-react/icons/search'
import SquarePen from 'lucide-react/icons/square-pen'
import type { ReactNode } from 'react'
import { t } from '../../text/t.ts'
import { ConversationPane } from '../../views/chat/pane/conversation-pane.tsx'
import { AccountRow } from './account-menu.tsx'
import { OrganizationMenu } from './organization-menu.tsx'
import './sidebar.css'

/** The organization's menu, search, all conversations, and the user's own row. */
export function Sidebar(): ReactNode {
  return (
    <>
      <div className="sidebar-head">
        <OrganizationMenu />
        <Link to="/dm" className="sidebar-compose" aria-label={t('New message')} title={t('New message')}>
          <SquarePen className="icon" aria-hidden="true" />
        </Link>
      </div>
      <Link to="/search" className="sidebar-search" activeOptions={{ includeSearch: false }}>
        <Search className="icon" aria-hidden="true" />
        <span>{t('Search')}</span>
        <kbd>{t('Ctrl K')}</kbd>
      </Link>
      <div className="sidebar-scroll">
        <ConversationPane />
      </div>
      <AccountRow />
    </>
  )
}
