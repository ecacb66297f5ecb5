import { useEffect, useMemo, useRef, useState } from 'react'
import { stableOrder } from './person-row.ts'

/** How long an order lasts at least, in milliseconds. */
const PERIOD = 5000

/** The wanted order, taken over at once at first, then at most every five seconds, and never while the list `isHeld`: pointed at or focused. */
export function useStableOrder(target: readonly number[], isHeld: boolean): readonly number[] {
  const [settled, settle] = useState(target)
  const settledAt = useRef(Number.NEGATIVE_INFINITY)
  const isSettled = useMemo(() => target.join() === settled.join(), [target, settled])

  useEffect(() => {
    if (isHeld || isSettled) return
    const wait = Math.max(0, settledAt.current + PERIOD - performance.now())
    const timer = setTimeout(() => {
      settledAt.current = performance.now()
      settle(target)
    }, wait)
    return () => clearTimeout(timer)
  }, [target, isHeld, isSettled])

  return useMemo(() => stableOrder(settled, target), [settled, target])
}
