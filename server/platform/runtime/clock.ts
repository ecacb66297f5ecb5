/** Where every part of the server takes the time and its timers from, so that a test can turn both by hand. */
export type Clock = {
  /** UNIX seconds, with a fraction. */
  now(): number
  /** Runs `job` once, at `dueAt` (UNIX seconds) or as soon after as possible. Returns what cancels it. */
  schedule(dueAt: number, job: () => void | Promise<void>): () => void
}

/** The longest delay that `setTimeout` takes, in milliseconds; a timer further away is set again. */
const MAX_DELAY = 2 ** 31 - 1

/** The machine's own clock. Its timers do not keep the process alive. */
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

/** A clock that a test turns by hand: it runs with the machine's until frozen, and can be moved. */
export type TestClock = Clock & {
  readonly frozen: boolean
  /** Stops the clock where it stands, or lets it run on from there. */
  freeze(frozen: boolean): void
  /**
   * Moves the clock forwards; every job that becomes due has ended before this resolves, each run at its own time. Moves
   * that are asked for at once come one after the other.
   */
  advance(seconds: number): Promise<void>
  /** Sets the clock; forwards this is an advance, backwards no job is run, and each stays as far away as it was. */
  set(now: number): Promise<void>
  /** Back to the machine's time, running; no job is run, and each stays as far away as it was. */
  reset(): Promise<void>
}

type Timer = { dueAt: number; job: () => void | Promise<void> }

/** Once one move has run so many jobs, which takes two seconds, the rest run where it ends: as if the machine had slept. */
const MAX_JOBS_ON_THE_WAY = 20_000

/** Starts at `startAt` and frozen, or at the machine's time and running when it is omitted. */
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
