import { type ReactNode, useRef } from 'react'
import './popover.css'
import { Dialog } from 'react-aria-components/Dialog'
import { Popover } from 'react-aria-components/Popover'
import * as css from './card-popover.module.css'
import { useCloseWhenHidden } from './is-shown.ts'
import { PHONE, useMedia } from './use-media.ts'

/** The distance after which a drag closes the sheet, in pixels. */
const DRAG = 40

/** The bar at the top of a sheet. Dragging it down closes the sheet; the keyboard has Escape. */
export function SheetHandle({ onClose }: { onClose: () => void }): ReactNode {
  const start = useRef(0)
  return (
    <div
      className="sheet-handle"
      aria-hidden="true"
      onPointerDown={({ currentTarget, pointerId, clientY }) => {
        currentTarget.setPointerCapture(pointerId)
        start.current = clientY
      }}
      onPointerMove={({ currentTarget, pointerId, clientY }) => {
        if (currentTarget.hasPointerCapture(pointerId) && clientY - start.current > DRAG) onClose()
      }}
    />
  )
}

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
      className={isSheet ? `popover ${css.cardPopover} ${css.cardSheet} popover-sheet` : `popover ${css.cardPopover}`}
      triggerRef={anchor}
      placement="end top"
      offset={8}
      containerPadding={8}
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      {isSheet && <SheetHandle onClose={onClose} />}
      <Dialog className={css.cardDialog} aria-label={label}>
        {children}
      </Dialog>
    </Popover>
  )
}
