import ChevronDown from 'lucide-react/icons/chevron-down'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { useOrganizationPart } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { MenuButton } from '../../ui/menu/menu-button.tsx'
import { useLogOut } from './log-out.tsx'

const OrganizationItems = lazyPart(async () => (await import('./organization-items.tsx')).OrganizationItems)

/** The name of the organization, with the menu of its pages. */
export function OrganizationMenu(): ReactNode {
  const name = useOrganizationPart(({ realm_name }) => realm_name)
  const userId = useOrganizationPart(({ user_id }) => user_id)
  const { logOut, dialog } = useLogOut(userId)
  return (
    <>
      <MenuButton
        placement="bottom start"
        load={OrganizationItems.load}
        button={(props) => (
          <Button {...props} className="organization-button">
            <span className="visually-hidden">{t('{name}: organization menu', { name })}</span>
            <span className="organization-mark" aria-hidden="true">
              {[...name][0]?.toUpperCase()}
            </span>
            <span className="organization-name" aria-hidden="true">
              {name}
            </span>
            <ChevronDown className="icon" aria-hidden="true" />
          </Button>
        )}
      >
        {(menu) => <OrganizationItems {...menu} onLogOut={logOut} />}
      </MenuButton>
      {dialog}
    </>
  )
}
