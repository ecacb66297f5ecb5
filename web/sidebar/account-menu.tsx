import BellOff from 'lucide-react/icons/bell-off'
import { type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { endSession } from '../api/session.ts'
import { removePersonalDataAfter } from '../browser/personal-data.ts'
import { countUnsavedDrafts } from '../messages/drafts.ts'
import { StatusEmoji } from '../people/person-icon.tsx'
import { toAppError } from '../store/app-error.ts'
import { useOrganization } from '../store/organization.ts'
import { usePresence } from '../store/presence.ts'
import { t } from '../text/t.ts'
import { Avatar } from '../ui/avatar.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { MenuButton, type MenuTriggerProps } from '../ui/menu-button.tsx'
import { useMinute } from '../ui/moments.ts'
import { flushToasts, showToast } from '../ui/toasts.ts'
import type { AccountDialog } from './menus/account-items.tsx'
import * as css from './sidebar.module.css'

const LogOutDialog = lazyPart(async () => (await import('./menus/account-items.tsx')).LogOutDialog)

/** Returns a function that logs out. `dialog` asks the user to confirm if logging out would delete drafts. */
export function useLogOut(userId: number): { logOut: () => void; dialog: ReactNode } {
  const [isConfirming, confirm] = useState(false)
  return {
    logOut: () => (countUnsavedDrafts(userId) > 0 ? confirm(true) : void logOut(userId)),
    dialog: isConfirming && (
      <LogOutDialog userId={userId} onLogOut={() => void logOut(userId)} onClose={() => confirm(false)} />
    ),
  }
}

/** Logs out after all undoable actions have run, and removes the user's content from this browser. */
async function logOut(userId: number): Promise<void> {
  await flushToasts()
  try {
    await removePersonalDataAfter(userId, endSession)
  } catch (error) {
    return showToast(toAppError(error).message, { kind: 'error' })
  }
  // It leads to the sign-in page, and before that to an identity provider that has to know of the logout.
  location.assign('/logout/')
}

const StatusDialog = lazyPart(async () => (await import('../people/status-dialog.tsx')).StatusDialog)
const PauseDialog = lazyPart(async () => (await import('../people/pause-dialog.tsx')).PauseDialog)

const AccountItems = lazyPart(async () => (await import('./menus/account-items.tsx')).AccountItems)

/** The user's own row at the end of the sidebar, with the account menu. */
export function SidebarAccount(): ReactNode {
  const { user_id, full_name, avatar_url_medium, user_settings, user_status } = useOrganization(
    'user_id',
    'full_name',
    'avatar_url_medium',
    'user_settings',
    'user_status',
  )
  const presence = usePresence(user_id)
  const status = user_status[user_id]
  const isPaused = user_settings.do_not_disturb_until > useMinute()
  return (
    <AccountMenu
      button={(props) => (
        <Button {...props} className={css.accountRow}>
          <span className="visually-hidden">{t('{name}: account menu', { name: full_name })}</span>
          <Avatar id={user_id} name={full_name} url={avatar_url_medium} presence={presence?.kind ?? null} />
          <span className={css.accountText} aria-hidden="true">
            <span className={css.accountName}>{full_name}</span>
            {status !== undefined && (
              <span className={css.accountStatus}>
                <StatusEmoji status={status} /> {status.status_text}
              </span>
            )}
          </span>
          {isPaused && (
            <span className={css.accountPaused} title={t('Notifications are paused')}>
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
  const { user_id } = useOrganization('user_id')
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
