import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Job } from './job.ts'
import { openPeriodicTask } from './periodic-task.ts'
import { openRunningJobs, type RunningJobs } from './running-jobs.ts'

/**
 * The due items, with at most one item for each recipient: the first. `nextAt` is the time at which more items become
 * due, or null if no other items wait.
 */
type DueItems<Load> = { due: readonly Load[]; nextAt: number | null }

type DeliveryJobOptions<Load> = {
  clock: Clock
  log: Log
  /** Returns whether this process is responsible for the deliveries; called on each run. */
  isResponsible: () => boolean
  /** Returns due items in order of delivery. It may return more than can be delivered at once. */
  findDue: (now: number) => Promise<DueItems<Load>>
  receiverIdOf: (load: Load) => number
  /** Delivers an item. `signal` aborts the delivery. After a failed delivery, the job pauses for a minute. */
  deliver: (load: Load, signal: AbortSignal) => Promise<void>
  /** The log message for items that cannot be read or updated. */
  failureMessage: string
}

/** The maximum number of deliveries in progress. */
export const MAX_DELIVERIES_AT_ONCE = 32

/** The time for running deliveries to finish on close, in milliseconds. */
const CLOSING_TIME = 2000

/**
 * Delivers committed items: one at a time and in order for each recipient, and to many recipients in parallel. No
 * transaction is open while a delivery is in progress. The job starts at once, and also delivers items that an earlier
 * process left. On close, running deliveries have two seconds to finish. The next process repeats unfinished
 * deliveries.
 */
export function openDeliveryJob<Load>(options: DeliveryJobOptions<Load>): Job {
  const { clock, log, isResponsible, findDue, receiverIdOf, deliver, failureMessage } = options
  const stopping = new AbortController()
  const {
    run: runTask,
    pauseAfter: pause,
    stop,
    isStopped,
    failingSince,
  } = openPeriodicTask({
    clock,
    work: takeDue,
    onFailure: (error) => log.error({ err: error }, failureMessage),
    isResponsible,
    onDue: () => deliveries.settled(),
  })
  /** The running deliveries by recipient id. */
  const deliveries: RunningJobs<number> = openRunningJobs(runTask)

  async function takeDue(): Promise<number | null> {
    const { due, nextAt } = await findDue(clock.now())
    if (isStopped()) return null
    const free = due.filter((load) => !deliveries.has(receiverIdOf(load)))
    for (const load of free.slice(0, MAX_DELIVERIES_AT_ONCE - deliveries.size))
      deliveries.add(receiverIdOf(load), deliver(load, stopping.signal).catch(pause))
    // Each finished delivery starts a run, so due items without a free slot need no timer.
    return nextAt
  }

  async function finish() {
    void stop()
    const deadline = setTimeout(() => stopping.abort(), CLOSING_TIME)
    await deliveries.settled()
    clearTimeout(deadline)
  }

  let finishing: Promise<void> | undefined
  function close() {
    finishing ??= finish()
    return finishing
  }

  void runTask()
  return { wake: () => void runTask(), settled: deliveries.settled, close, failingSince }
}
