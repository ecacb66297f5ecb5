import { type ReactNode, useRef } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Popover } from 'react-aria-components/Popover'
import { useCloseWhenHidden } from '../layout/is-shown.ts'
import { SheetHandle } from '../layout/sheet-handle.tsx'
import { useMedia } from '../layout/use-media.ts'
import { PHONE } from '../layout/widths.ts'
import '../layout/popover.css'
import './card-popover.css'

/**
 * A card beside the element that opened it, or a sheet on phones. When it closes, the focus returns to that element.
 */
export function CardPopover(props: {
  label: string
  trigger: Element
  onClose: () => void
  children: ReactNode
}): ReactNode {
  const { label, trigger, onClose, children } = props
  const anchor = useRef(trigger)
  const isSheet = useMedia(PHONE)
  useCloseWhenHidden(onClose)
  return (
    <Popover
      className={isSheet ? 'popover card-popover card-sheet popover-sheet' : 'popover card-popover'}
      triggerRef={anchor}
      placement="end top"
      offset={8}
      containerPadding={8}
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      {isSheet && <SheetHandle onClose={onClose} />}
      <Dialog className="card-dialog" aria-label={label}>
        {children}
      </Dialog>
    </Popover>
  )
}
