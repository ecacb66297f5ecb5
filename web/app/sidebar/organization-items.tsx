import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { MenuItem } from 'react-aria-components/Menu'
import { shortcutList } from '../../store/page/shortcut-list.ts'
import { t } from '../../text/t.ts'
import type { OpenMenu } from '../../ui/menu/menu-button.tsx'
import { MenuPopover } from '../../ui/menu/menu-popover.tsx'
import { MenuLine, PageItems, ThemeSection, useOrganizationPages } from './menu-items.tsx'

/** The open menu of the organization. */
export function OrganizationItems({ onLogOut, ...menu }: OpenMenu & { onLogOut: () => void }): ReactNode {
  const navigate = useNavigate()
  const { invites, pages } = useOrganizationPages()
  return (
    <MenuPopover {...menu}>
      <PageItems pages={[{ to: '/settings/profile', label: t('Settings') }]} />
      {invites !== null && (
        <MenuItem
          className="menu-item"
          onAction={() => void navigate({ to: '.', search: (search: object) => ({ ...search, invite: invites }) })}
        >
          {t('Invite people')}
        </MenuItem>
      )}
      <MenuLine />
      <PageItems pages={pages} />
      <MenuLine />
      <MenuItem className="menu-item" onAction={() => shortcutList.set(true)}>
        {t('Keyboard shortcuts')}
      </MenuItem>
      <MenuLine />
      <ThemeSection />
      <MenuLine />
      <MenuItem className="menu-item" onAction={onLogOut}>
        {t('Log out')}
      </MenuItem>
    </MenuPopover>
  )
}
