import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { MenuItem } from 'react-aria-components/Menu'
import { changeLayout, useLayout } from '../../browser/layout.ts'
import { shortcutList } from '../../browser/overlays.ts'
import { copyInvitationLink } from '../../invitations/copy-invitation-link.ts'
import { t } from '../../text/t.ts'
import { MenuPopover } from '../../ui/menu.tsx'
import type { OpenMenu } from '../../ui/menu-button.tsx'
import { useMedia, WITH_SIDEBAR } from '../../ui/use-media.ts'
import { MenuLine, PageItems, ShortcutItem, useOrganizationPages } from '../menu-items.tsx'
import { HELP } from './nav-items.ts'

/** The items of the open menu of the organization. */
export function OrganizationItems(menu: OpenMenu): ReactNode {
  const navigate = useNavigate()
  const isWide = useMedia(WITH_SIDEBAR)
  const { collapsesSidebar } = useLayout()
  const { invites, byLink, pages } = useOrganizationPages()
  return (
    <MenuPopover {...menu}>
      {invites !== null && (
        <MenuItem
          className="menu-item"
          onAction={() => void navigate({ to: '.', search: (search: object) => ({ ...search, invite: invites }) })}
        >
          {t('Invite people')}
        </MenuItem>
      )}
      {byLink && (
        <MenuItem className="menu-item" onAction={() => void copyInvitationLink()}>
          {t('Copy invitation link')}
        </MenuItem>
      )}
      {(invites !== null || byLink) && <MenuLine />}
      <PageItems pages={pages} />
      <MenuLine />
      <PageItems pages={[HELP]} />
      <ShortcutItem label={t('Keyboard shortcuts')} command="?" onAction={() => shortcutList.set(true)} />
      {isWide && (
        <ShortcutItem
          label={collapsesSidebar ? t('Expand sidebar') : t('Collapse sidebar')}
          command="["
          onAction={() => changeLayout({ collapsesSidebar: !collapsesSidebar })}
        />
      )}
    </MenuPopover>
  )
}
