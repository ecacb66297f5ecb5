import CircleUser from 'lucide-react/icons/circle-user'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { useOrganization } from '../../store/organization.ts'
import { usePresence } from '../../store/people/presences.ts'
import { t } from '../../text/t.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { MenuButton, type MenuTriggerProps } from '../../ui/menu/menu-button.tsx'
import { Avatar } from '../../ui/people/avatar.tsx'
import { StatusEmoji } from '../../views/people/status-emoji.tsx'
import { useLogOut } from './log-out.tsx'

const AccountItems = lazyPart(async () => (await import('./account-items.tsx')).AccountItems)

/** The user's own row at the end of the sidebar, with the account menu. */
export function SidebarAccount(): ReactNode {
  const { user_id, full_name, avatar_url_medium, user_status } = useOrganization()
  const presence = usePresence(user_id)
  const status = user_status[user_id]
  return (
    <AccountMenu
      placement="top start"
      button={(props) => (
        <Button {...props} className="account-row">
          <span className="visually-hidden">{t('{name}: account menu', { name: full_name })}</span>
          <Avatar id={user_id} name={full_name} url={avatar_url_medium} presence={presence?.kind ?? null} />
          <span className="account-text" aria-hidden="true">
            <span className="account-name">{full_name}</span>
            {status !== undefined && (
              <span className="account-status">
                <StatusEmoji status={status} /> {status.status_text}
              </span>
            )}
          </span>
        </Button>
      )}
    />
  )
}

/** The account menu as an item of the bar on phones, with the pages that have no other place there. */
export function AccountTab(): ReactNode {
  const { full_name } = useOrganization()
  return (
    <AccountMenu
      placement="top end"
      hasOrganization
      button={(props) => (
        <Button {...props} className="bottom-bar-item" aria-label={t('You, {name}: account menu', { name: full_name })}>
          <CircleUser className="icon" aria-hidden="true" />
          {t('You')}
        </Button>
      )}
    />
  )
}

function AccountMenu(props: {
  placement: 'top start' | 'top end'
  hasOrganization?: boolean
  /** The button that opens the menu. */
  button: (props: MenuTriggerProps) => ReactNode
}): ReactNode {
  const { placement, hasOrganization = false, button } = props
  const { user_id } = useOrganization()
  const { logOut, dialog } = useLogOut(user_id)
  return (
    <>
      <MenuButton placement={placement} load={AccountItems.load} button={button}>
        {(menu) => <AccountItems {...menu} hasOrganization={hasOrganization} onLogOut={logOut} />}
      </MenuButton>
      {dialog}
    </>
  )
}
