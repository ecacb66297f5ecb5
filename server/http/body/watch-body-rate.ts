import { afterPendingReads } from '../wire/after-pending-reads.ts'

/** The minimum rate of a body that may exceed 1 MiB or is not kept in memory, in bytes a second. */
export const MIN_RATE = 8 * 1024

type Rate = {
  /** The time that the body may take however slowly it arrives. */
  seconds: number
  /** For each of this many received bytes, the body may take one more second; 0 for no extension. */
  bytesPerSecond: number
  received: () => number
}

/** Calls `onTooSlow` when a body takes longer than it may. Returns a function that stops the watch. */
export function watchBodyRate({ seconds, bytesPerSecond, received }: Rate, onTooSlow: () => void): () => void {
  const startedAt = performance.now()
  let isOver = false
  let timer = setTimeout(look, seconds * 1000)

  function remaining(): number {
    const allowed = seconds + (bytesPerSecond === 0 ? 0 : received() / bytesPerSecond)
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
