import { Link } from '@tanstack/react-router'
import PanelLeftOpen from 'lucide-react/icons/panel-left-open'
import Search from 'lucide-react/icons/search'
import SquarePen from 'lucide-react/icons/square-pen'
import type { ReactNode } from 'react'
import { switcher } from '../../store/page/switcher.ts'
import { shortcutLabel } from '../../store/shortcuts/shortcut-keys.ts'
import { t } from '../../text/t.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { ConversationPane } from '../../views/chat/sidebar/conversation-pane.tsx'
import { SidebarAccount } from './account-menu.tsx'
import { collapseSidebar } from './collapse-sidebar.ts'
import { OrganizationMenu } from './organization-menu.tsx'
import './sidebar.css'

/**
 * The organization's menu, search, all conversations, and the user's own row. With `isCollapsed`, only icons are shown.
 */
export function Sidebar({ isCollapsed = false }: { isCollapsed?: boolean }): ReactNode {
  return (
    <div className="sidebar" data-collapsed={isCollapsed || undefined}>
      {isCollapsed && (
        <IconButton
          label={t('Expand sidebar')}
          keys={shortcutLabel('[')}
          icon={PanelLeftOpen}
          onPress={() => collapseSidebar(false)}
        />
      )}
      <div className="sidebar-head">
        <OrganizationMenu />
        <Link to="/dm" className="sidebar-compose" aria-label={t('New message')} data-keys={shortcutLabel('x')}>
          <SquarePen className="icon" aria-hidden="true" />
        </Link>
      </div>
      {isCollapsed ? (
        <IconButton
          label={t('Search or jump to…')}
          keys={t('Ctrl K')}
          icon={Search}
          onPress={() => switcher.set(true)}
        />
      ) : (
        <button
          type="button"
          className="sidebar-search"
          aria-keyshortcuts="Control+K"
          onClick={() => switcher.set(true)}
        >
          <Search className="icon" aria-hidden="true" />
          <span className="sidebar-search-text">{t('Search or jump to…')}</span>
          <span className="sidebar-search-key" aria-hidden="true">
            {t('Ctrl K')}
          </span>
        </button>
      )}
      <div className="sidebar-scroll">
        <ConversationPane isCollapsed={isCollapsed} />
      </div>
      <SidebarAccount />
    </div>
  )
}
