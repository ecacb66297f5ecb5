import { type ReactNode, type RefObject, useEffect } from 'react'
import { Tooltip as AriaTooltip, TooltipTriggerStateContext } from 'react-aria-components/Tooltip'

/** The open tooltip of a button. Escape closes it. */
export function Tooltip(props: {
  text: string
  trigger: RefObject<HTMLElement | null>
  onClose: () => void
}): ReactNode {
  const { text, trigger, onClose } = props
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && onClose()
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [onClose])
  const state = { isOpen: true, shouldSkipAnimation: true, open: () => {}, close: onClose }
  return (
    <TooltipTriggerStateContext value={state}>
      <AriaTooltip className="tooltip" offset={4} triggerRef={trigger}>
        {text}
      </AriaTooltip>
    </TooltipTriggerStateContext>
  )
}
