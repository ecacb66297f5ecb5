import type { ReactNode } from 'react'
import { MenuItem } from 'react-aria-components/Menu'
import { t } from '../../text/t.ts'
import type { OpenMenu } from '../../ui/menu/menu-button.tsx'
import { MenuPopover } from '../../ui/menu/menu-popover.tsx'
import { MenuLine, PageItems, ThemeSection, useOrganizationPages } from './menu-items.tsx'
import { OWN_ITEMS } from './nav-items.ts'

/** The open account menu, on phones with the pages of the organization. */
export function AccountItems(props: OpenMenu & { hasOrganization: boolean; onLogOut: () => void }): ReactNode {
  const { hasOrganization, onLogOut, ...menu } = props
  const { pages } = useOrganizationPages()
  return (
    <MenuPopover {...menu}>
      <PageItems pages={OWN_ITEMS} />
      {hasOrganization && <MenuLine />}
      {hasOrganization && <PageItems pages={pages} />}
      <MenuLine />
      <ThemeSection />
      <MenuLine />
      <MenuItem className="menu-item" onAction={onLogOut}>
        {t('Log out')}
      </MenuItem>
    </MenuPopover>
  )
}
