import BellOff from 'lucide-react/icons/bell-off'
import { type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useOrganization } from '../../store/organization.ts'
import { usePresence } from '../../store/people/presences.ts'
import { t } from '../../text/t.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { MenuButton, type MenuTriggerProps } from '../../ui/menu/menu-button.tsx'
import { Avatar } from '../../ui/people/avatar.tsx'
import { useMinute } from '../../ui/time/time.tsx'
import { StatusEmoji } from '../../views/people/status-emoji.tsx'
import type { AccountDialog } from './account-items.tsx'
import { useLogOut } from './log-out.tsx'

const StatusDialog = lazyPart(async () => (await import('../../views/people/status/status-dialog.tsx')).StatusDialog)
const PauseDialog = lazyPart(async () => (await import('../../views/people/status/pause-dialog.tsx')).PauseDialog)

const AccountItems = lazyPart(async () => (await import('./account-items.tsx')).AccountItems)

/** The user's own row at the end of the sidebar, with the account menu. */
export function SidebarAccount(): ReactNode {
  const { user_id, full_name, avatar_url_medium, user_settings, user_status } = useOrganization()
  const presence = usePresence(user_id)
  const status = user_status[user_id]
  const isPaused = user_settings.do_not_disturb_until > useMinute()
  return (
    <AccountMenu
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
          {isPaused && (
            <span className="account-paused" title={t('Notifications are paused')}>
              <BellOff className="icon" role="img" aria-label={t('Notifications are paused')} />
            </span>
          )}
        </Button>
      )}
    />
  )
}

/** Returns a function that opens a dialog about the user's availability, and the open dialog. */
export function useAccountDialogs(): { open: (dialog: AccountDialog) => void; dialogs: ReactNode } {
  const [opened, open] = useState<AccountDialog | null>(null)
  const close = () => open(null)
  const dialogs =
    opened === 'status' ? (
      <StatusDialog onClose={close} />
    ) : (
      opened !== null && <PauseDialog pausing={opened} onClose={close} />
    )
  return { open, dialogs }
}

function AccountMenu({ button }: { button: (props: MenuTriggerProps) => ReactNode }): ReactNode {
  const { user_id } = useOrganization()
  const { logOut, dialog } = useLogOut(user_id)
  const { open, dialogs } = useAccountDialogs()
  return (
    <>
      <MenuButton placement="top start" load={AccountItems.load} button={button}>
        {(menu) => <AccountItems {...menu} onOpen={open} onLogOut={logOut} />}
      </MenuButton>
      {dialog}
      {dialogs}
    </>
  )
}
