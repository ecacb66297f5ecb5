import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import { openPeriodicTask } from './periodic-task.ts'
import { openRunningJobs, type RunningJobs } from './running-jobs.ts'

/**
 * Takes what is committed to where it is to go: for each receiver one thing at a time, in their order, and to many
 * receivers together. No transaction is open while one of them is waited for.
 */
export type DeliveryWorker = {
  /** Looks for what is due soon. To be called after each commit that wrote any, in this process or outside. */
  wake(): void
  /** Resolves when nothing that is due now is left, and the clock will wake the courier for what comes next. */
  settled(): Promise<void>
  /** Begins nothing more. What is under way has two seconds to end, and is done again at the next start otherwise. */
  close(): Promise<void>
}

/** What is due, of each receiver the first that waits at most; and when more will be, null when nothing else waits. */
export type DueItems<Load> = { due: readonly Load[]; nextAt: number | null }

export type DeliveryWorkerOptions<Load> = {
  clock: Clock
  log: Log
  /** Whether the work is this process's to do, at a round. */
  isResponsible: () => boolean
  /** In the order in which it is to be taken; more than can be under way at once, if more is due. */
  findDue: (now: number) => Promise<DueItems<Load>>
  receiverIdOf: (load: Load) => number
  /** `signal` asks it to end. A rejection has the courier rest for a minute. */
  deliver: (load: Load, signal: AbortSignal) => Promise<void>
  /** What the log says when one cannot be found or recorded. */
  failureMessage: string
}

/** How many are under way at most. */
export const MAX_DELIVERIES_AT_ONCE = 32

/** Milliseconds. */
const CLOSING_TIME = 2000

/** Opens at once; what an earlier process left behind is taken, too. */
export function openDeliveryWorker<Load>(options: DeliveryWorkerOptions<Load>): DeliveryWorker {
  const { clock, log, isResponsible, findDue, receiverIdOf, deliver, failureMessage: complaint } = options
  const stopping = new AbortController()
  const {
    run: round,
    pauseAfter: rest,
    stop,
    isStopped,
  } = openPeriodicTask({
    clock,
    work: takeDue,
    onFailure: (error) => log.error({ err: error }, complaint),
    isResponsible,
    onDue: () => errands.settled(),
  })
  /** Deliveries, by the ids of their receivers. */
  const errands: RunningJobs<number> = openRunningJobs(round)

  async function takeDue(): Promise<number | null> {
    const { due, nextAt } = await findDue(clock.now())
    if (isStopped()) return null
    const free = due.filter((load) => !errands.has(receiverIdOf(load)))
    for (const load of free.slice(0, MAX_DELIVERIES_AT_ONCE - errands.size))
      errands.add(receiverIdOf(load), deliver(load, stopping.signal).catch(rest))
    // Each that ends begins a round, so what is due and has no place needs no time.
    return nextAt
  }

  async function finish() {
    void stop()
    const deadline = setTimeout(() => stopping.abort(), CLOSING_TIME)
    await errands.settled()
    clearTimeout(deadline)
  }

  let finishing: Promise<void> | undefined
  function close() {
    finishing ??= finish()
    return finishing
  }

  void round()
  return { wake: () => void round(), settled: errands.settled, close }
}
