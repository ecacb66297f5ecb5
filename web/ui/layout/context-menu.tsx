import { type ReactNode, useRef } from 'react'
import { Menu } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { type MenuAction, MenuActions } from '../menu/menu-actions.tsx'
import './context-menu.css'
import './popover.css'

/** A point of the window in pixels. */
export type Point = { readonly x: number; readonly y: number }

/** A menu at a point of the window, for example where the user clicked. */
export function ContextMenu(props: {
  label: string
  at: Point
  items: readonly MenuAction[]
  isOpen: boolean
  onClose: () => void
}): ReactNode {
  const { label, at, items, isOpen, onClose } = props
  const anchor = useRef<HTMLSpanElement>(null)
  return (
    <>
      <span ref={anchor} className="context-anchor" style={{ left: at.x, top: at.y }} />
      <Popover
        className="popover"
        triggerRef={anchor}
        placement="bottom start"
        offset={2}
        isOpen={isOpen}
        onOpenChange={(open) => !open && onClose()}
      >
        <Menu className="menu" aria-label={label} autoFocus="first" onClose={onClose}>
          <MenuActions items={items} onChoose={(run) => run()} />
        </Menu>
      </Popover>
    </>
  )
}
