import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { MenuItem } from 'react-aria-components/Menu'
import { t } from '../../../text/t.ts'
import type { OpenMenu } from '../../../ui/menu/menu-button.tsx'
import { MenuPopover } from '../../../ui/menu/menu-popover.tsx'

/** The open menu for browsing and creating channels. */
export function ChannelToolItems({ mayCreate, ...menu }: OpenMenu & { mayCreate: boolean }): ReactNode {
  const navigate = useNavigate()
  return (
    <MenuPopover {...menu}>
      <MenuItem className="menu-item" onAction={() => void navigate({ to: '/channels' })}>
        {t('Browse channels')}
      </MenuItem>
      {mayCreate && (
        <MenuItem className="menu-item" onAction={() => void navigate({ to: '/channels/new' })}>
          {t('New channel')}
        </MenuItem>
      )}
    </MenuPopover>
  )
}
