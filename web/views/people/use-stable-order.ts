import { useEffect, useMemo, useRef, useState } from 'react'
import { stableOrder } from './person-row.ts'

/** The minimum time between reorderings, in milliseconds. */
const PERIOD = 5000

/**
 * Returns the order `target`, updated at most every five seconds. It is never updated while `isHeld`, because the
 * pointer or the focus is in the list.
 */
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
