import { useNavigate } from '@tanstack/react-router'
import CircleUser from 'lucide-react/icons/circle-user'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { Header } from 'react-aria-components/Header'
import { Menu, MenuItem, MenuSection, MenuTrigger } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { Separator } from 'react-aria-components/Separator'
import { logOut } from '../../api/session.ts'
import { Theme, useTheme } from '../../store/browser/theme.ts'
import { useOrganization } from '../../store/organization.ts'
import { toTrouble } from '../../store/trouble.ts'
import { Avatar } from '../../ui/avatar.tsx'
import '../../ui/popover.css'
import { settleToasts, toast } from '../../ui/toast.ts'
import type { Place } from './places.ts'

/** What others than administrators look after, too. */
const FOR_ALL = [
  { section: 'groups', label: 'Groups' },
  { section: 'emoji', label: 'Custom emoji' },
]

const THEMES = [
  { id: Theme.system, label: 'Like the system' },
  { id: Theme.light, label: 'Light' },
  { id: Theme.dark, label: 'Dark' },
]

/** Logs out once everything is done that was still to be undone. */
async function leave(): Promise<void> {
  await settleToasts()
  await logOut().catch((error: unknown) => toast(toTrouble(error).message, { kind: 'error' }))
}

/**
 * What is one's own: settings, the theme, the way out; and whatever pages have no place elsewhere. It opens from a
 * picture, or is a place in a bar like others.
 */
export function AccountMenu({
  isPlace = false,
  places = [],
}: {
  isPlace?: boolean
  places?: readonly Place[]
}): ReactNode {
  const { full_name, avatar_url_medium, is_admin, is_guest } = useOrganization()
  const [scheme, setScheme] = useTheme()
  const navigate = useNavigate()
  const toSettings = (section: string) => void navigate({ to: '/settings/$section', params: { section } })

  return (
    <MenuTrigger>
      {isPlace ? (
        <Button className="top-bar-place" aria-label={`You, ${full_name}: your account`}>
          <CircleUser className="icon" aria-hidden="true" />
          You
        </Button>
      ) : (
        <Button className="account-button" aria-label={`${full_name}: your account`}>
          <Avatar name={full_name} url={avatar_url_medium} />
        </Button>
      )}
      <Popover className="popover" placement={isPlace ? 'top end' : 'bottom end'}>
        <Menu className="menu">
          <MenuItem className="menu-item" onAction={() => toSettings('profile')}>
            Your profile
          </MenuItem>
          <MenuItem className="menu-item" onAction={() => toSettings('availability')}>
            Availability
          </MenuItem>
          {places.map(({ to, label }) => (
            <MenuItem key={to} className="menu-item" onAction={() => void navigate({ to })}>
              {label}
            </MenuItem>
          ))}
          {is_admin && (
            <MenuItem
              className="menu-item"
              onAction={() => void navigate({ to: '/organization/$section', params: { section: 'people' } })}
            >
              Organization
            </MenuItem>
          )}
          {!is_admin &&
            !is_guest &&
            FOR_ALL.map(({ section, label }) => (
              <MenuItem
                key={section}
                className="menu-item"
                onAction={() => void navigate({ to: '/organization/$section', params: { section } })}
              >
                {label}
              </MenuItem>
            ))}
          <Separator className="menu-separator" />
          <MenuSection
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[scheme]}
            onSelectionChange={(keys) => setScheme(Number([...keys][0]))}
          >
            <Header className="menu-heading">Theme</Header>
            {THEMES.map(({ id, label }) => (
              <MenuItem key={id} id={id} className="menu-item">
                {label}
              </MenuItem>
            ))}
          </MenuSection>
          <Separator className="menu-separator" />
          <MenuItem className="menu-item" onAction={() => void leave()}>
            Log out
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
