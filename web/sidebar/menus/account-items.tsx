import { type ReactNode, useState } from 'react'
import { MenuItem } from 'react-aria-components/Menu'
import { countUnsavedDrafts } from '../../messages/drafts.ts'
import { useOrganization } from '../../store/organization.ts'
import { useOwnSettings } from '../../store/own-settings.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { MenuPopover } from '../../ui/menu.tsx'
import type { OpenMenu } from '../../ui/menu-button.tsx'
import { MenuLine, PageItems, ThemeSection } from '../menu-items.tsx'
import { OWN_ITEMS } from './nav-items.ts'

/** A dialog that the account menu opens. */
export type AccountDialog = 'status' | 'notifications' | 'availability'

/** The items of the open account menu. */
export function AccountItems(
  props: OpenMenu & { onOpen: (dialog: AccountDialog) => void; onLogOut: () => void },
): ReactNode {
  const { onOpen, onLogOut, ...menu } = props
  return (
    <MenuPopover {...menu}>
      <AvailabilityItems onOpen={onOpen} />
      <MenuLine />
      <PageItems pages={OWN_ITEMS} />
      <MenuLine />
      <ThemeSection />
      <MenuLine />
      <MenuItem className="menu-item" onAction={onLogOut}>
        {t('Log out')}
      </MenuItem>
    </MenuPopover>
  )
}

/** Menu items that set the status, pause notifications, and hide the user's availability. */
function AvailabilityItems({ onOpen }: { onOpen: (dialog: AccountDialog) => void }): ReactNode {
  const { user_id, user_status, realm_presence_disabled } = useOrganization(
    'user_id',
    'user_status',
    'realm_presence_disabled',
  )
  const [settings, change] = useOwnSettings()
  const hasStatus = user_status[user_id] !== undefined
  const isPaused = settings.do_not_disturb_until > Date.now() / 1000
  const isHidden = settings.presence_enabled === false
  return (
    <>
      <MenuItem className="menu-item" onAction={() => onOpen('status')}>
        {hasStatus ? t('Change status…') : t('Set status…')}
      </MenuItem>
      <MenuItem
        className="menu-item"
        onAction={() => (isPaused ? change({ do_not_disturb_until: 0 }) : onOpen('notifications'))}
      >
        {isPaused ? t('Resume notifications') : t('Pause notifications…')}
      </MenuItem>
      {!realm_presence_disabled && (
        <MenuItem
          className="menu-item"
          onAction={() =>
            isHidden ? change({ presence_enabled: true, presence_hidden_until: 0 }) : onOpen('availability')
          }
        >
          {isHidden ? t('Show my availability') : t('Hide my availability…')}
        </MenuItem>
      )}
    </>
  )
}

/** Asks the user to confirm a logout that deletes drafts. */
export function LogOutDialog(props: { userId: number; onLogOut: () => void; onClose: () => void }): ReactNode {
  const { userId, onLogOut, onClose } = props
  const [count] = useState(() => countUnsavedDrafts(userId))
  return (
    <Dialog title={t('Log out?')} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        <p>
          {t(
            '{count, plural, one {You have a draft that isn’t saved on the server yet. Logging out deletes it.} other {You have # drafts that aren’t saved on the server yet. Logging out deletes them.}}',
            { count },
          )}
        </p>
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" onPress={onLogOut}>
          {t('Log out')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
