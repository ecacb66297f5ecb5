import type { ReactNode } from 'react'
import { MenuItem } from 'react-aria-components/Menu'
import type { OpenMenu } from '../menu/menu-button.tsx'
import { MenuPopover } from '../menu/menu-popover.tsx'

export type RowAction = { label: string; run: () => void; isDanger?: boolean }

/** An open menu of actions. */
export function ActionItems({ items, ...menu }: OpenMenu & { items: readonly RowAction[] }): ReactNode {
  return (
    <MenuPopover {...menu}>
      {items.map(({ label, run, isDanger }) => (
        <MenuItem key={label} className={`menu-item${isDanger ? ' danger' : ''}`} onAction={run}>
          {label}
        </MenuItem>
      ))}
    </MenuPopover>
  )
}
