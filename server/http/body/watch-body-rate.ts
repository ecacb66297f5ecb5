import { afterPendingReads } from '../wire/after-pending-reads.ts'

/** How fast a body of more than 1 MiB, or one that is not kept in memory, must come at least, in bytes a second. */
export const MIN_RATE = 8 * 1024

type Pace = {
  /** How long the body may take in any case. */
  seconds: number
  /** So many bytes that have come give it another second; none do when 0. */
  rate: number
  received: () => number
}

/** Calls `onTooSlow` when a body takes longer than it may. Returns what ends the watch. */
export function watchBodyRate({ seconds, rate, received }: Pace, onTooSlow: () => void): () => void {
  const startedAt = performance.now()
  let isOver = false
  let timer = setTimeout(look, seconds * 1000)

  function remaining(): number {
    const allowed = seconds + (rate === 0 ? 0 : received() / rate)
    return allowed * 1000 - (performance.now() - startedAt)
  }

  function look(): void {
    if (remaining() > 0) timer = setTimeout(look, remaining())
    else
      afterPendingReads(() => {
        if (isOver) return
        if (remaining() > 0) look()
        else onTooSlow()
      })
  }

  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
