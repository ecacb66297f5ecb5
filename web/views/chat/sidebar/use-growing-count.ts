import { useEffect, useState } from 'react'
import { whenIdle } from '../../../ui/when-idle.ts'

/** The height of a row in the compact density, and the minimum height of the content above the list, in pixels. */
const [ROW, ABOVE] = [24, 250]

/** The number of rows that are added at a time. */
const PORTION = 15

/** The number of rows after the current one that are rendered at first. */
const AFTER_CURRENT = 5

/** The time after which rows are added even if the page is never idle, in milliseconds. */
const MAX_PAUSE = 1000

/**
 * Returns the number of rows to render of a list with `total` rows. At first, the list has enough rows to fill a
 * window, and at least those up to `currentAt` (-1 for none). It gets more rows whenever the page is idle.
 */
export function useGrowingCount(total: number, currentAt: number): number {
  const [count, setCount] = useState(() => Math.ceil((innerHeight - ABOVE) / ROW))
  const shown = Math.min(total, Math.max(count, currentAt + 1 + AFTER_CURRENT))
  useEffect(() => (shown < total ? whenIdle(() => setCount(shown + PORTION), MAX_PAUSE) : undefined), [shown, total])
  return shown
}

let wasIdle = false

/** Returns whether the page has been idle since it opened. Parts that the user needs later are rendered after that. */
export function useWasIdle(): boolean {
  const [isKnown, know] = useState(wasIdle)
  useEffect(() => {
    if (isKnown) return
    return whenIdle(() => {
      wasIdle = true
      know(true)
    }, MAX_PAUSE)
  }, [isKnown])
  return isKnown
}
