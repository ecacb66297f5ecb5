import type { Clock } from './clock.ts'

/** Seconds of rest after a failure. */
const REST = 60

/** Work that is looked for in rounds, one after the other: when asked to, and when the clock says that more is due. */
export type Rounds = {
  /** A round that begins after this call; all who ask before it begins share it. */
  round(): Promise<void>
  /** Tells of what went wrong; no work is looked for during the next minute. */
  rest(error: unknown): void
  /** From now on the clock begins no round. */
  stop(): void
}

export type RoundsOptions = {
  clock: Clock
  /** Does what is due; resolves with when more will be, null when nobody knows of more. */
  work: () => Promise<number | null>
  onFailure: (error: unknown) => void
  /** What the clock does when more is due; a round, when omitted. */
  onDue?: () => Promise<void>
}

export function openRounds({ clock, work, onFailure, onDue }: RoundsOptions): Rounds {
  let last = Promise.resolve()
  let next: Promise<void> | null = null
  let cancelTimer = () => {}
  let restsUntil = 0
  let isStopped = false

  function round(): Promise<void> {
    next ??= last.then(() => {
      next = null
      last = take().catch(rest)
      return last
    })
    return next
  }

  async function take() {
    if (clock.now() < restsUntil) return wakeAt(restsUntil)
    const dueAt = await work()
    cancelTimer()
    if (dueAt !== null) wakeAt(dueAt)
  }

  function wakeAt(time: number) {
    cancelTimer()
    if (!isStopped) cancelTimer = clock.schedule(time, onDue ?? round)
  }

  function rest(error: unknown) {
    onFailure(error)
    restsUntil = clock.now() + REST
    wakeAt(restsUntil)
  }

  function stop() {
    isStopped = true
    cancelTimer()
  }

  return { round, rest, stop }
}
