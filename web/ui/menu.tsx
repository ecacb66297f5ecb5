import { type ComponentType, Fragment, type ReactNode, type SVGProps, useEffect, useRef } from 'react'
import { Menu, MenuItem, type MenuProps } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { Separator } from 'react-aria-components/Separator'
import { useCloseWhenHidden } from './is-shown.ts'
import * as css from './menu.module.css'
import type { OpenMenu } from './menu-button.tsx'
import './popover.css'
import { Keyboard } from 'react-aria-components/Keyboard'

/** The open menu of a button, with the items in `children`. */
export function MenuPopover({
  trigger,
  labelId,
  placement,
  focus,
  onClose,
  children,
  onAction,
}: OpenMenu & Pick<MenuProps<object>, 'onAction'> & { children: ReactNode }): ReactNode {
  useCloseWhenHidden(onClose)
  return (
    <Popover
      className="popover"
      triggerRef={trigger}
      placement={placement}
      aria-labelledby={labelId}
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <Menu className="menu" aria-labelledby={labelId} autoFocus={focus} onClose={onClose} onAction={onAction}>
        {children}
      </Menu>
    </Popover>
  )
}

export type MenuAction = {
  label: string
  run: () => void
  icon?: ComponentType<SVGProps<SVGSVGElement>>
  isDanger?: boolean
  /** True if a line separates the action from the one above it. */
  startsGroup?: boolean
}

/** The items of a menu of actions. `onChoose` gets the function of the chosen action. */
export function MenuActions(props: { items: readonly MenuAction[]; onChoose: (run: () => void) => void }): ReactNode {
  return props.items.map(({ label, run, icon: Icon, isDanger = false, startsGroup = false }, at) => (
    <Fragment key={label}>
      {startsGroup && at > 0 && <Separator className="menu-separator" />}
      <MenuItem
        id={label}
        textValue={label}
        className={`menu-item${Icon === undefined ? '' : ' menu-item-icon'}${isDanger ? ' danger' : ''}`}
        onAction={() => props.onChoose(run)}
      >
        {Icon !== undefined && <Icon className="icon" aria-hidden="true" />}
        {label}
      </MenuItem>
    </Fragment>
  ))
}

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
      <span ref={anchor} className={css.contextAnchor} style={{ left: at.x, top: at.y }} />
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

/** A key. The style sheet draws it, and screen readers read its hidden name. */
export function ShortcutKey({ name }: { name: string }): ReactNode {
  return (
    <Keyboard className={css.menuKey} data-key={name}>
      <span className="visually-hidden">{name}</span>
    </Keyboard>
  )
}
