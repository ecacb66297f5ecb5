import { useNavigate } from '@tanstack/react-router'
import ChevronDown from 'lucide-react/icons/chevron-down'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { Menu, MenuItem, MenuTrigger } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { useOrganizationPart } from '../../store/organization.ts'
import { shortcutList } from '../../store/page/shortcut-list.ts'
import { t } from '../../text/t.ts'
import '../../ui/layout/popover.css'
import { useLogOut } from './log-out.tsx'
import { MenuLine, PageItems, ThemeSection, useOrganizationPages } from './menu-items.tsx'

/** The name of the organization, with the menu of its pages. */
export function OrganizationMenu(): ReactNode {
  const name = useOrganizationPart(({ realm_name }) => realm_name)
  const userId = useOrganizationPart(({ user_id }) => user_id)
  const navigate = useNavigate()
  const { invites, pages } = useOrganizationPages()
  const { logOut, dialog } = useLogOut(userId)
  return (
    <>
      <MenuTrigger>
        <Button className="organization-button">
          <span className="visually-hidden">{t('{name}: organization menu', { name })}</span>
          <span className="organization-mark" aria-hidden="true">
            {[...name][0]?.toUpperCase()}
          </span>
          <span className="organization-name" aria-hidden="true">
            {name}
          </span>
          <ChevronDown className="icon" aria-hidden="true" />
        </Button>
        <Popover className="popover" placement="bottom start">
          <Menu className="menu">
            <PageItems pages={[{ to: '/settings/profile', label: t('Settings') }]} />
            {invites !== null && (
              <MenuItem
                className="menu-item"
                onAction={() =>
                  void navigate({ to: '.', search: (search: object) => ({ ...search, invite: invites }) })
                }
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
            <MenuItem className="menu-item" onAction={logOut}>
              {t('Log out')}
            </MenuItem>
          </Menu>
        </Popover>
      </MenuTrigger>
      {dialog}
    </>
  )
}
