import type { Clock } from '../runtime/clock.ts'

/** Seconds of rest after a failure. */
const REST = 60

/** Work that is looked for in rounds, one after the other: when asked to, and when the clock says that more is due. */
export type PeriodicTask = {
  /** A round that begins after this call; all who ask before it begins share it. */
  run(): Promise<void>
  /** Tells of what went wrong; no work is looked for during the next minute. */
  pauseAfter(error: unknown): void
  /** Has no more work begun; resolves when what had begun has ended. */
  stop(): Promise<void>
  isStopped(): boolean
}

export type PeriodicTaskOptions = {
  clock: Clock
  /** Does what is due; resolves with when more will be, null when nobody knows of more. */
  work: () => Promise<number | null>
  onFailure: (error: unknown) => void
  /** Whether the work is this process's to do, at a round; always, when omitted. */
  isResponsible?: (() => boolean) | undefined
  /** What the clock does when more is due; a round, when omitted. */
  onDue?: () => Promise<void>
}

export function openPeriodicTask({
  clock,
  work,
  onFailure,
  isResponsible = () => true,
  onDue,
}: PeriodicTaskOptions): PeriodicTask {
  let last = Promise.resolve()
  let next: Promise<void> | null = null
  let cancelTimer = () => {}
  let restsUntil = 0
  let isStopped = false

  function round(): Promise<void> {
    next ??= last.then(begin)
    return next
  }

  function begin(): Promise<void> {
    next = null
    last = take().catch(rest)
    return last
  }

  async function take() {
    wakeAt(isResting() || isStopped || !isResponsible() ? null : await work())
  }

  /** Sets the one timer; during a rest it waits for the end of that, whatever is due. */
  function wakeAt(dueAt: number | null) {
    cancelTimer()
    const time = isResting() ? restsUntil : dueAt
    if (time !== null && !isStopped) cancelTimer = clock.schedule(time, onDue ?? round)
  }

  function isResting(): boolean {
    return clock.now() < restsUntil
  }

  function rest(error: unknown) {
    onFailure(error)
    restsUntil = clock.now() + REST
    wakeAt(null)
  }

  function stop() {
    isStopped = true
    cancelTimer()
    return round()
  }

  return { run: round, pauseAfter: rest, stop, isStopped: () => isStopped }
}
