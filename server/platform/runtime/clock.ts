/** The source of the time and of timers for all parts of the server, which tests replace. */
export type Clock = {
  /** UNIX seconds, with a fraction. */
  now(): number
  /**
   * Runs `job` once, at `dueAt` (UNIX seconds) or as soon as possible afterwards. Returns a function that cancels it.
   */
  schedule(dueAt: number, job: () => void | Promise<void>): () => void
}

/** The longest delay of `setTimeout`, in milliseconds; longer timers are set again. */
const MAX_DELAY = 2 ** 31 - 1

/** The clock of the machine. Its timers do not keep the process alive. */
export function systemClock(): Clock {
  const now = () => Date.now() / 1000
  return {
    now,
    schedule(dueAt, job) {
      let timer: NodeJS.Timeout
      const arm = () => {
        const delay = Math.max(0, (dueAt - now()) * 1000)
        timer = delay > MAX_DELAY ? setTimeout(arm, MAX_DELAY) : setTimeout(job, delay)
        timer.unref()
      }
      arm()
      return () => clearTimeout(timer)
    },
  }
}

/** A clock for tests: it follows the machine's clock until it is frozen, and can be moved. */
export type TestClock = Clock & {
  readonly frozen: boolean
  /** Stops the clock, or lets it continue from the current time. */
  freeze(frozen: boolean): void
  /**
   * Moves the clock forwards. Every job that becomes due runs at its own time and ends before this resolves. Concurrent
   * moves run one after another.
   */
  advance(seconds: number): Promise<void>
  /** Sets the clock. Forwards this is an advance; backwards no job runs, and each keeps its distance. */
  set(now: number): Promise<void>
  /** Resets the clock to the machine's time and lets it run; no job runs, and each keeps its distance. */
  reset(): Promise<void>
}

type Timer = { dueAt: number; job: () => void | Promise<void> }

/**
 * After this number of jobs in one move, which take two seconds, the remaining jobs run at the end of the move, as if
 * the machine had been asleep.
 */
const MAX_JOBS_ON_THE_WAY = 20_000

/** Starts at `startAt` and frozen, or at the machine's time and running if it is omitted. */
export function testClock(startAt?: number): TestClock {
  const machineNow = () => Date.now() / 1000
  const timers = new Set<Timer>()
  let frozenAt = startAt ?? null
  let offset = 0
  let wakeUp: NodeJS.Timeout | undefined
  let isMoving = false
  let lastMove = Promise.resolve()

  const now = () => frozenAt ?? machineNow() + offset
  const moveTo = (time: number) => {
    if (frozenAt === null) offset = time - machineNow()
    else frozenAt = time
  }
  const takeDue = (time: number) => {
    let first: Timer | undefined
    for (const timer of timers) if (first === undefined || timer.dueAt < first.dueAt) first = timer
    if (first === undefined || first.dueAt > time) return undefined
    timers.delete(first)
    return first
  }
  const rearm = () => {
    clearTimeout(wakeUp)
    if (isMoving || frozenAt !== null || timers.size === 0) return
    const dueAt = Math.min(...Array.from(timers, (timer) => timer.dueAt))
    wakeUp = setTimeout(() => move(runDue), Math.min(MAX_DELAY, Math.max(0, (dueAt - now()) * 1000)))
    wakeUp.unref()
  }
  const runDue = async () => {
    for (let timer = takeDue(now()); timer !== undefined; timer = takeDue(now())) await timer.job()
  }
  const move = (step: () => void | Promise<void>) => {
    const done = lastMove.then(async () => {
      isMoving = true
      try {
        await step()
      } finally {
        isMoving = false
        rearm()
      }
    })
    lastMove = done.catch(() => {})
    return done
  }
  const moveForwards = async (target: number) => {
    for (let count = 0; count < MAX_JOBS_ON_THE_WAY; count += 1) {
      const timer = takeDue(target)
      if (timer === undefined) break
      moveTo(Math.max(now(), timer.dueAt))
      await timer.job()
    }
    moveTo(Math.max(now(), target))
    await runDue()
  }
  const jumpTo = (target: number) => {
    const distance = target - now()
    for (const timer of timers) timer.dueAt += distance
    moveTo(target)
  }

  return {
    now,
    schedule(dueAt, job) {
      const timer = { dueAt, job }
      timers.add(timer)
      rearm()
      return () => {
        timers.delete(timer)
        rearm()
      }
    },
    get frozen() {
      return frozenAt !== null
    },
    freeze(frozen) {
      const time = now()
      frozenAt = frozen ? time : null
      moveTo(time)
      rearm()
    },
    advance: (seconds) => move(() => moveForwards(now() + seconds)),
    set: (target) => move(() => (target < now() ? jumpTo(target) : moveForwards(target))),
    reset: () =>
      move(() => {
        jumpTo(machineNow())
        frozenAt = null
        offset = 0
      }),
  }
}
