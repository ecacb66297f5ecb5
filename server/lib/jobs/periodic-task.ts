import type { Clock } from '../runtime/clock.ts'

/** Seconds of pause after a failure. */
const PAUSE = 60

/** A task that looks for work in consecutive runs: on request, and when the next work is due. */
export type PeriodicTask = {
  /** Resolves when a run that started after this call has finished. All calls before the start of that run share it. */
  run(): Promise<void>
  /** Reports a failure and pauses the task for a minute. */
  pauseAfter(error: unknown): void
  /** Starts no further runs; resolves when the current one has finished. */
  stop(): Promise<void>
  isStopped(): boolean
  /** Returns the time since which every run has failed, in UNIX seconds; null if the last one succeeded. */
  failingSince(): number | null
}

export type PeriodicTaskOptions = {
  clock: Clock
  /** Does the due work; resolves with the time at which more is due, or null if no more is known. */
  work: () => Promise<number | null>
  onFailure: (error: unknown) => void
  /** Called on each run. If it returns false, the run skips the work. If omitted, every run does the work. */
  isResponsible?: (() => boolean) | undefined
  /** Called when more work is due. If omitted, a run starts then. */
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
  let pausedUntil = 0
  let isStopped = false
  let failingSince: number | null = null

  function runTask(): Promise<void> {
    next ??= last.then(begin)
    return next
  }

  function begin(): Promise<void> {
    next = null
    last = take().catch(pause)
    return last
  }

  async function take() {
    if (isPaused() || isStopped || !isResponsible()) return wakeAt(null)
    const failedBefore = pausedUntil
    const dueAt = await work()
    // A delivery that the run did not wait for may have failed meanwhile.
    if (pausedUntil === failedBefore) failingSince = null
    wakeAt(dueAt)
  }

  /**
   * Sets the only timer of the task. During a pause, it waits for the end of the pause, even if work is due earlier.
   */
  function wakeAt(dueAt: number | null) {
    cancelTimer()
    const time = isPaused() ? pausedUntil : dueAt
    if (time !== null && !isStopped) cancelTimer = clock.schedule(time, onDue ?? runTask)
  }

  function isPaused(): boolean {
    return clock.now() < pausedUntil
  }

  function pause(error: unknown) {
    onFailure(error)
    failingSince ??= clock.now()
    pausedUntil = clock.now() + PAUSE
    wakeAt(null)
  }

  function stop() {
    isStopped = true
    cancelTimer()
    return runTask()
  }

  return { run: runTask, pauseAfter: pause, stop, isStopped: () => isStopped, failingSince: () => failingSince }
}
