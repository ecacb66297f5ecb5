import type { ReactNode } from 'react'
import { MenuItem } from 'react-aria-components/Menu'
import { useOrganization } from '../../store/organization.ts'
import { useOwnSettings } from '../../store/own-settings.ts'
import { t } from '../../text/t.ts'
import type { OpenMenu } from '../../ui/menu/menu-button.tsx'
import { MenuPopover } from '../../ui/menu/menu-popover.tsx'
import { MenuLine, PageItems, ThemeSection } from './menu-items.tsx'
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
  const { user_id, user_status, realm_presence_disabled } = useOrganization()
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
