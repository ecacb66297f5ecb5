import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

// Background jobs. A job looks for due work when it is woken and when the next work is due, one run at a time. A
// failed run pauses the job and is repeated later, so work that the database remembers is never lost. Closing a job
// waits until its running work has finished.

/** A background job of the server. */
export type Job = {
  /** Makes the job look for work soon. */
  wake(): void
  /** Resolves when nothing is due and a timer is set for the next item. */
  settled(): Promise<void>
  /** Starts no more work; resolves when the current work has finished or has been abandoned. */
  close(): Promise<void>
  history(): JobHistory
}

/** The runs of a job since the start of the process. Times are UNIX seconds. */
export type JobHistory = {
  /** The number of runs that looked for work, and of those that failed; and the seconds that all of them took. */
  readonly runs: number
  readonly failures: number
  readonly seconds: number
  readonly lastSuccessAt: number | null
  readonly lastFailureAt: number | null
  /** The message of the last failure; null if there was none. */
  readonly lastError: string | null
  /** The time since which every attempt has failed; null if the last one succeeded. */
  readonly failingSince: number | null
}

/** The maximum length of `lastError`, in characters. */
const MAX_ERROR_LENGTH = 300

/** Seconds of pause after a failure. */
const PAUSE = 60

/** A task that looks for work in consecutive runs: on request, and when the next work is due. */
type PeriodicTask = {
  /** Resolves when a run that started after this call has finished. All calls before the start of that run share it. */
  run(): Promise<void>
  /** Reports a failure and pauses the task for a minute. */
  pauseAfter(error: unknown): void
  /** Reports a failure, after which the task goes on as if the run had succeeded. */
  noteFailure(error: unknown): void
  /** Starts no further runs; resolves when the current one has finished. */
  stop(): Promise<void>
  isStopped(): boolean
  history(): JobHistory
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
  const history: { -readonly [Name in keyof JobHistory]: JobHistory[Name] } = {
    runs: 0,
    failures: 0,
    seconds: 0,
    lastSuccessAt: null,
    lastFailureAt: null,
    lastError: null,
    failingSince: null,
  }

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
    const failedBefore = history.failures
    const startedAt = performance.now()
    history.runs += 1
    const dueAt = await work().finally(() => {
      history.seconds += (performance.now() - startedAt) / 1000
    })
    // A delivery that the run did not wait for may have failed meanwhile.
    if (history.failures === failedBefore) {
      history.failingSince = null
      history.lastSuccessAt = clock.now()
    }
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
    noteFailure(error)
    pausedUntil = clock.now() + PAUSE
    wakeAt(null)
  }

  function noteFailure(error: unknown) {
    onFailure(error)
    history.failures += 1
    history.lastFailureAt = clock.now()
    history.failingSince ??= clock.now()
    history.lastError = (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_LENGTH)
  }

  function stop() {
    isStopped = true
    cancelTimer()
    return runTask()
  }

  return { run: runTask, pauseAfter: pause, noteFailure, stop, isStopped: () => isStopped, history: () => history }
}

type DueJobOptions<Item> = Pick<PeriodicTaskOptions, 'clock' | 'isResponsible'> & {
  log: Log
  /** Returns the item with the earliest due time, even if that time is in the future; null if there is no item. */
  findNext: () => Promise<Item | null>
  /** Handles an item that is due. After that, `findNext` must not return the item again. */
  handle: (item: Item) => Promise<unknown>
  /** The log message for a failure. The job then pauses for a minute. */
  failureMessage: string
}

/**
 * Handles items one by one, in order of their due times. The first ones are those that became due while no server was
 * running.
 */
export function openDueJob<Item extends { dueAt: number }>(options: DueJobOptions<Item>): Job {
  const { clock, isResponsible = () => true, log, findNext, handle, failureMessage } = options
  const { run, stop, isStopped, history } = openPeriodicTask({
    clock,
    work: handleAllDue,
    isResponsible,
    onFailure: (error) => log.error({ err: error }, failureMessage),
  })

  async function handleAllDue(): Promise<number | null> {
    while (!isStopped() && isResponsible()) {
      const next = await findNext()
      if (next === null) return null
      if (next.dueAt > clock.now()) return next.dueAt
      await handle(next)
    }
    return null
  }

  void run()
  return { wake: () => void run(), settled: run, close: stop, history }
}

/** The running jobs of a periodic task, by key. */
export type RunningJobs<Key> = {
  readonly size: number
  has(key: Key): boolean
  /** Tracks a job until it has finished, and then starts a new run. The job must never reject. */
  add(key: Key, job: Promise<void>): void
  /** Resolves when no job is running and a run that started after this call found no job to start. */
  settled(): Promise<void>
}

/** `run` is the `run` of a periodic task that starts due jobs and calls `add` for each. */
export function openRunningJobs<Key>(run: () => Promise<void>): RunningJobs<Key> {
  const underWay = new Map<Key, Promise<void>>()
  let begun = 0

  return {
    get size() {
      return underWay.size
    },
    has: (key) => underWay.has(key),
    add(key, job) {
      begun += 1
      underWay.set(key, job)
      void job.then(() => {
        underWay.delete(key)
        return run()
      })
    },
    async settled() {
      // Waiting until the task is idle would not work: two callers would keep starting runs for each other.
      for (let isSettled = false; !isSettled; ) {
        const [wasEmpty, begunBefore] = [underWay.size === 0, begun]
        await Promise.all([run(), ...underWay.values()])
        isSettled = wasEmpty && begun === begunBefore
      }
    },
  }
}

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
    history,
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
  return { wake: () => void runTask(), settled: deliveries.settled, close, history }
}
