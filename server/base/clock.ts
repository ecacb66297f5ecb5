/** Where every part of the server takes the time and its timers from, so that a test can turn both by hand. */
export type Clock = {
  /** UNIX seconds, with a fraction. */
  now(): number
  /** Runs `job` once, at `dueAt` (UNIX seconds) or as soon after as possible. Returns what cancels it. */
  schedule(dueAt: number, job: () => void | Promise<void>): () => void
}

/** The longest delay that `setTimeout` takes, in milliseconds; a timer further away is set again. */
const LONGEST_DELAY = 2 ** 31 - 1

/** The machine's own clock. Its timers do not keep the process alive. */
export function systemClock(): Clock {
  const now = () => Date.now() / 1000
  return {
    now,
    schedule(dueAt, job) {
      let timer: NodeJS.Timeout
      const arm = () => {
        const delay = Math.max(0, (dueAt - now()) * 1000)
        timer = delay > LONGEST_DELAY ? setTimeout(arm, LONGEST_DELAY) : setTimeout(job, delay)
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
  /** Moves the clock forwards; every job that becomes due has ended before this resolves, each run at its own time. */
  advance(seconds: number): Promise<void>
  /** Sets the clock; forwards this is an advance, backwards no job is run. */
  set(now: number): Promise<void>
  /** Back to the machine's time, running. Timers stay. */
  reset(): void
}

type Timer = { dueAt: number; job: () => void | Promise<void> }

/** Starts at `startAt` and frozen, or at the machine's time and running when it is omitted. */
export function testClock(startAt?: number): TestClock {
  const machineNow = () => Date.now() / 1000
  const timers = new Set<Timer>()
  let frozenAt = startAt ?? null
  let offset = 0
  let wakeUp: NodeJS.Timeout | undefined

  const now = () => frozenAt ?? machineNow() + offset
  const moveTo = (time: number) => {
    if (frozenAt === null) offset = time - machineNow()
    else frozenAt = time
  }
  const earliest = () => {
    let first: Timer | undefined
    for (const timer of timers) if (first === undefined || timer.dueAt < first.dueAt) first = timer
    return first
  }
  const rearm = () => {
    clearTimeout(wakeUp)
    const next = frozenAt === null ? earliest() : undefined
    if (next === undefined) return
    wakeUp = setTimeout(runDue, Math.min(LONGEST_DELAY, Math.max(0, (next.dueAt - now()) * 1000)))
    wakeUp.unref()
  }
  const runDue = async () => {
    for (let timer = earliest(); timer !== undefined && timer.dueAt <= now(); timer = earliest()) {
      timers.delete(timer)
      await timer.job()
    }
    rearm()
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
    async advance(seconds) {
      await this.set(now() + seconds)
    },
    async set(target) {
      clearTimeout(wakeUp)
      for (let timer = earliest(); timer !== undefined && timer.dueAt <= target; timer = earliest()) {
        timers.delete(timer)
        moveTo(Math.max(now(), timer.dueAt))
        await timer.job()
      }
      moveTo(target)
      rearm()
    },
    reset() {
      frozenAt = null
      offset = 0
      rearm()
    },
  }
}
