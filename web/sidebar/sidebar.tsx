import { Link } from '@tanstack/react-router'
import ChevronDown from 'lucide-react/icons/chevron-down'
import PanelLeftOpen from 'lucide-react/icons/panel-left-open'
import Search from 'lucide-react/icons/search'
import SquarePen from 'lucide-react/icons/square-pen'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { Theme } from '../browser/appearance.ts'
import { changeLayout } from '../browser/layout.ts'
import { switcher } from '../browser/overlays.ts'
import { useOrganizationPart } from '../store/organization.ts'
import { shortcutLabel } from '../store/shortcuts.ts'
import { t } from '../text/t.ts'
import { IconButton } from '../ui/button.tsx'
import { focusIn } from '../ui/landmarks.ts'
import { lazyPart } from '../ui/lazy-part.tsx'
import { MenuButton } from '../ui/menu-button.tsx'
import { useMedia } from '../ui/use-media.ts'
import { SidebarAccount } from './account-menu.tsx'
import { ConversationPane } from './pane/conversation-pane.tsx'
import * as css from './sidebar.module.css'

/**
 * Collapses or expands the sidebar beside the page. Some parts of the sidebar are replaced, but the focus stays in it.
 */
export function collapseSidebar(collapsesSidebar: boolean): void {
  const sidebar = document.querySelector<HTMLElement>('#conversations')
  const hadFocus = sidebar?.contains(document.activeElement) === true
  changeLayout({ collapsesSidebar })
  if (!hadFocus) return
  // The new parts are rendered after this event.
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return
    // The first element is the button of the organization menu, where shortcuts don't work.
    const search = sidebar.querySelector<HTMLElement>('.sidebar-search')
    if (search === null) focusIn(sidebar)
    else search.focus()
  })
}

const OrganizationItems = lazyPart(async () => (await import('./menus/organization-items.tsx')).OrganizationItems)

/** A button with the organization's name, which opens the menu of its pages. */
function OrganizationMenu(): ReactNode {
  const name = useOrganizationPart(({ realm_name }) => realm_name)
  return (
    <MenuButton
      placement="bottom start"
      load={OrganizationItems.load}
      button={(props) => (
        <Button {...props} className={css.organizationButton}>
          <span className="visually-hidden">{t('{name}: organization menu', { name })}</span>
          <OrganizationMark name={name} />
          <ChevronDown className="icon" aria-hidden="true" />
        </Button>
      )}
    >
      {(menu) => <OrganizationItems {...menu} />}
    </MenuButton>
  )
}

/** The organization's logo for the theme. Without a logo, shows its name after its icon or initial. */
function OrganizationMark({ name }: { name: string }): ReactNode {
  const icon = useOrganizationPart((own) => (own.realm_icon_source === 'U' ? own.realm_icon_url : null))
  const logo = useOrganizationPart((own) => (own.realm_logo_source === 'U' ? own.realm_logo_url : null))
  const night = useOrganizationPart((own) => (own.realm_night_logo_source === 'U' ? own.realm_night_logo_url : logo))
  const scheme = useOrganizationPart(({ user_settings }) => user_settings.color_scheme)
  const isSystemDark = useMedia('(prefers-color-scheme: dark)')
  const url = scheme === Theme.dark || (scheme === Theme.system && isSystemDark) ? night : logo
  if (url !== null) return <img className={css.organizationLogo} src={url} alt="" />
  return (
    <>
      <span className={css.organizationMark} aria-hidden="true">
        {icon === null ? [...name][0]?.toUpperCase() : <img src={icon} alt="" />}
      </span>
      <span className={css.organizationName} aria-hidden="true">
        {name}
      </span>
    </>
  )
}

/**
 * The organization's menu, search, all conversations, and the user's own row. With `isCollapsed`, only icons are shown.
 */
export function Sidebar({ isCollapsed = false }: { isCollapsed?: boolean }): ReactNode {
  return (
    <div className={css.sidebar} data-collapsed={isCollapsed || undefined}>
      {isCollapsed && (
        <IconButton
          label={t('Expand sidebar')}
          keys={shortcutLabel('[')}
          icon={PanelLeftOpen}
          onPress={() => collapseSidebar(false)}
        />
      )}
      <div className={css.sidebarHead}>
        <OrganizationMenu />
        <Link to="/dm" className={css.sidebarCompose} aria-label={t('New message')} data-keys={shortcutLabel('x')}>
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
          className={css.sidebarSearch}
          aria-keyshortcuts="Control+K"
          onClick={() => switcher.set(true)}
        >
          <Search className="icon" aria-hidden="true" />
          <span className={css.sidebarSearchText}>{t('Search or jump to…')}</span>
          <span className={css.sidebarSearchKey} aria-hidden="true">
            {t('Ctrl K')}
          </span>
        </button>
      )}
      <div className={css.sidebarScroll}>
        <ConversationPane isCollapsed={isCollapsed} />
      </div>
      <SidebarAccount />
    </div>
  )
}
