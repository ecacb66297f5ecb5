import type { ReactNode, RefObject } from 'react'
import { Tooltip as AriaTooltip, TooltipTriggerStateContext } from 'react-aria-components/Tooltip'

/** The open tooltip of a button. */
export function Tooltip(props: {
  text: string
  trigger: RefObject<HTMLElement | null>
  onClose: () => void
}): ReactNode {
  const { text, trigger, onClose } = props
  const state = { isOpen: true, shouldSkipAnimation: true, open: () => {}, close: onClose }
  return (
    <TooltipTriggerStateContext value={state}>
      <AriaTooltip className="tooltip" offset={4} triggerRef={trigger}>
        {text}
      </AriaTooltip>
    </TooltipTriggerStateContext>
  )
}
