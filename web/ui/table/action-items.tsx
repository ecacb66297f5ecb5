import { type ReactNode, useEffect, useRef } from 'react'
import { MenuItem } from 'react-aria-components/Menu'
import type { OpenMenu } from '../menu/menu-button.tsx'
import { MenuPopover } from '../menu/menu-popover.tsx'

export type RowAction = { label: string; run: () => void; isDanger?: boolean }

/**
 * An open menu of actions. The chosen action runs after the button has the focus again, so that a dialog can return the
 * focus to the button.
 */
export function ActionItems({ items, ...menu }: OpenMenu & { items: readonly RowAction[] }): ReactNode {
  const chosen = useRef<() => void>(null)
  useEffect(
    () => () => {
      if (chosen.current !== null) requestAnimationFrame(chosen.current)
    },
    [],
  )
  return (
    <MenuPopover {...menu}>
      {items.map(({ label, run, isDanger }) => (
        <MenuItem
          key={label}
          className={`menu-item${isDanger ? ' danger' : ''}`}
          onAction={() => {
            chosen.current = run
          }}
        >
          {label}
        </MenuItem>
      ))}
    </MenuPopover>
  )
}
