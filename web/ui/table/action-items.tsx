import { type ReactNode, useEffect, useRef } from 'react'
import { type MenuAction, MenuActions } from '../menu/menu-actions.tsx'
import type { OpenMenu } from '../menu/menu-button.tsx'
import { MenuPopover } from '../menu/menu-popover.tsx'

/**
 * An open menu of actions. The chosen action runs after the button has the focus again, so that a dialog can return the
 * focus to the button.
 */
export function ActionItems({ items, ...menu }: OpenMenu & { items: readonly MenuAction[] }): ReactNode {
  const chosen = useRef<() => void>(null)
  useEffect(
    () => () => {
      if (chosen.current !== null) requestAnimationFrame(chosen.current)
    },
    [],
  )
  return (
    <MenuPopover {...menu}>
      <MenuActions
        items={items}
        onChoose={(run) => {
          chosen.current = run
        }}
      />
    </MenuPopover>
  )
}
