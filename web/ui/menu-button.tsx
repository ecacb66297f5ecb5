import { type KeyboardEvent, type ReactNode, type RefObject, useCallback, useId, useRef, useState } from 'react'
import './popover.css'

export type OpenMenu = {
  trigger: RefObject<HTMLElement | null>
  /** The id of the button. The button is the label of the menu. */
  labelId: string
  placement: Placement
  /** The item that gets the focus; true for the menu itself, after a click. */
  focus: 'first' | 'last' | true
  onClose: () => void
}

type Placement = 'top start' | 'top end' | 'bottom start' | 'bottom end'

/** Properties for the button of a menu. */
export type MenuTriggerProps = {
  ref: RefObject<HTMLButtonElement | null>
  id: string
  'aria-haspopup': 'menu'
  'aria-expanded': boolean
  onPress: (event: { pointerType: string }) => void
  onKeyDown: (event: Pick<KeyboardEvent, 'key' | 'preventDefault'>) => void
  onHoverStart: () => void
  onFocus: () => void
}

/**
 * A button with a menu. `load` loads the code of the menu when the pointer or the focus comes to the button. The down
 * arrow key opens the menu at its first item, and the up arrow key at its last.
 */
export function MenuButton(props: {
  placement: Placement
  button: (props: MenuTriggerProps) => ReactNode
  load: () => Promise<void>
  children: (menu: OpenMenu) => ReactNode
}): ReactNode {
  const { placement, button, load, children } = props
  const trigger = useRef<HTMLButtonElement>(null)
  const labelId = useId()
  const [focus, open] = useState<OpenMenu['focus'] | null>(null)
  const onClose = useCallback(() => open(null), [])
  // After a failure, opening the menu loads the code again.
  const preload = () => void load().catch(() => {})
  return (
    <>
      {button({
        ref: trigger,
        id: labelId,
        'aria-haspopup': 'menu',
        'aria-expanded': focus !== null,
        onPress: ({ pointerType }) => open(pointerType === 'keyboard' || pointerType === 'virtual' ? 'first' : true),
        onKeyDown(event) {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          open(event.key === 'ArrowDown' ? 'first' : 'last')
        },
        onHoverStart: preload,
        onFocus: preload,
      })}
      {focus !== null && children({ trigger, labelId, placement, focus, onClose })}
    </>
  )
}
