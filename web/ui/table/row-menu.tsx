import Ellipsis from 'lucide-react/icons/ellipsis'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { Menu, MenuItem, MenuTrigger } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import '../layout/popover.css'

export type RowAction = { label: string; run: () => void; isDanger?: boolean }

/** The menu of a table row; nothing without actions. */
export function RowMenu({ label, items }: { label: string; items: readonly RowAction[] }): ReactNode {
  if (items.length === 0) return null
  return (
    <MenuTrigger>
      <Button className="button button-quiet button-round" aria-label={label}>
        <Ellipsis className="icon" aria-hidden="true" />
      </Button>
      <Popover className="popover" placement="bottom end">
        <Menu className="menu">
          {items.map(({ label, run: action, isDanger }) => (
            <MenuItem key={label} className={`menu-item${isDanger ? ' danger' : ''}`} onAction={action}>
              {label}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
