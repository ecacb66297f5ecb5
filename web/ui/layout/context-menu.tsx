import { type ReactNode, useRef } from 'react'
import { Menu, MenuItem } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import './context-menu.css'
import './popover.css'

export type MenuAction = { label: string; run: () => void; isDanger?: boolean }

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
          {items.map(({ label, run, isDanger }) => (
            <MenuItem key={label} className={`menu-item${isDanger ? ' danger' : ''}`} onAction={run}>
              {label}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </>
  )
}
