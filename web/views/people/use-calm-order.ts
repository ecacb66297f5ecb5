import { useEffect, useMemo, useRef, useState } from 'react'
import { keepOrder } from './person-row.ts'

/** How long an order lasts at least, in milliseconds. */
const PERIOD = 5000

/** The wanted order, taken over at once at first, then at most every five seconds, and never while the list `isHeld`: pointed at or focused. */
export function useCalmOrder(wanted: readonly number[], isHeld: boolean): readonly number[] {
  const [settled, settle] = useState(wanted)
  const settledAt = useRef(Number.NEGATIVE_INFINITY)
  const isSettled = useMemo(() => wanted.join() === settled.join(), [wanted, settled])

  useEffect(() => {
    if (isHeld || isSettled) return
    const wait = Math.max(0, settledAt.current + PERIOD - performance.now())
    const timer = setTimeout(() => {
      settledAt.current = performance.now()
      settle(wanted)
    }, wait)
    return () => clearTimeout(timer)
  }, [wanted, isHeld, isSettled])

  return useMemo(() => keepOrder(settled, wanted), [settled, wanted])
}
