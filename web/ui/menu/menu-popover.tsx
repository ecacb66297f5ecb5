import type { ReactNode } from 'react'
import { Menu, type MenuProps } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { useCloseWhenHidden } from '../layout/is-shown.ts'
import type { OpenMenu } from './menu-button.tsx'

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
