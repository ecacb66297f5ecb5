import { type ReactNode, useRef } from 'react'
import './popover.css'

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
