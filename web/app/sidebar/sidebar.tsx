import { Link } from '@tanstack/react-router'
import Search from 'lucide-react/icons/search'
import SquarePen from 'lucide-react/icons/square-pen'
import type { ReactNode } from 'react'
import { shortcutLabel } from '../../store/browser/shortcut-keys.ts'
import { switcher } from '../../store/page/switcher.ts'
import { t } from '../../text/t.ts'
import { ConversationPane } from '../../views/chat/pane/conversation-pane.tsx'
import { SidebarAccount } from './account-menu.tsx'
import { OrganizationMenu } from './organization-menu.tsx'
import './sidebar.css'

/** The organization's menu, search, all conversations, and the user's own row. */
export function Sidebar(): ReactNode {
  return (
    <>
      <div className="sidebar-head">
        <OrganizationMenu />
        <Link to="/dm" className="sidebar-compose" aria-label={t('New message')} data-keys={shortcutLabel('x')}>
          <SquarePen className="icon" aria-hidden="true" />
        </Link>
      </div>
      <button type="button" className="sidebar-search" aria-keyshortcuts="Control+K" onClick={() => switcher.set(true)}>
        <Search className="icon" aria-hidden="true" />
        <span className="sidebar-search-text">{t('Search or jump to')}</span>
        <span className="sidebar-search-key" aria-hidden="true">
          {t('Ctrl K')}
        </span>
      </button>
      <div className="sidebar-scroll">
        <ConversationPane />
      </div>
      <SidebarAccount />
    </>
  )
}
