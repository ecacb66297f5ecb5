import { setTimeout as timeout } from 'node:timers/promises'

// The only source of time and timers. Lint keeps the clock of the machine out of all other code, so a test that moves
// its clock moves the whole server: timers run in the order of their due times, each at its own time. Times are UNIX
// seconds unless a name says otherwise.

export const SECONDS_PER_DAY = 86_400

/** Returns the day of a UNIX time, in days since 1970 (UTC). */
export const dayOf = (time: number) => Math.floor(time / SECONDS_PER_DAY)

/** The source of the time and of timers for all parts of the server. Tests replace it. */
export type Clock = {
  /** Returns UNIX seconds, with a fraction. */
  now(): number
  /**
   * Runs `job` once, at `dueAt` (UNIX seconds) or as soon as possible afterwards. Returns a function that cancels it.
   */
  schedule(dueAt: number, job: () => void | Promise<void>): () => void
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
  /**
   * Sets the clock. Moving it forward is the same as `advance`. Moving it back runs no job, and every job keeps its
   * remaining time.
   */
  set(now: number): Promise<void>
  /** Resets the clock to the machine's time and lets it run. No job runs, and every job keeps its remaining time. */
  reset(): Promise<void>
}

/** The longest delay of `setTimeout`, in milliseconds. A longer timer is set again after this delay. */
const MAX_DELAY = 2 ** 31 - 1

/** Returns the clock of the machine. Its timers do not keep the process alive. */
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

/**
 * Returns the result of the work; null if it fails or takes longer than `patience` milliseconds, whatever the clock of a
 * test shows.
 */
export const inTime = <Result>(work: () => Promise<Result>, patience: number): Promise<Result | null> =>
  Promise.race([work().catch(() => null), timeout(patience, null, { ref: false })])

type Timer = { dueAt: number; job: () => void | Promise<void> }

/**
 * The maximum number of jobs in one move that run at their own times. Running that many takes two seconds. The
 * remaining jobs run at the end of the move, as if the machine had been asleep.
 */
const MAX_JOBS_ON_THE_WAY = 20_000

/**
 * Returns a clock that is frozen at `startAt`. If `startAt` is omitted, the clock starts at the machine's time and
 * runs.
 */
export function testClock(startAt?: number): TestClock {
  const clock = new MovableClock(startAt ?? null)
  return {
    now: () => clock.now(),
    schedule: (dueAt, job) => clock.schedule(dueAt, job),
    get frozen() {
      return clock.isFrozen
    },
    freeze: (frozen) => clock.freeze(frozen),
    advance: (seconds) => clock.move(() => clock.moveForwards(clock.now() + seconds)),
    set: (target) => clock.move(() => (target < clock.now() ? clock.jumpTo(target) : clock.moveForwards(target))),
    reset: () => clock.move(() => clock.reset()),
  }
}

const machineNow = () => Date.now() / 1000

class MovableClock {
  readonly #timers = new Set<Timer>()
  #frozenAt: number | null
  /** The seconds by which this clock is ahead of the machine's clock while it runs. */
  #offset = 0
  #wakeUp: NodeJS.Timeout | undefined
  #isMoving = false
  #lastMove = Promise.resolve()

  constructor(startAt: number | null) {
    this.#frozenAt = startAt
  }

  get isFrozen(): boolean {
    return this.#frozenAt !== null
  }

  now(): number {
    return this.#frozenAt ?? machineNow() + this.#offset
  }

  schedule(dueAt: number, job: Timer['job']): () => void {
    const timer = { dueAt, job }
    this.#timers.add(timer)
    this.#rearm()
    return () => {
      this.#timers.delete(timer)
      this.#rearm()
    }
  }

  freeze(isFrozen: boolean): void {
    const time = this.now()
    this.#frozenAt = isFrozen ? time : null
    this.#setTime(time)
    this.#rearm()
  }

  /** Runs a step that changes the time, after all earlier steps have finished. */
  move(step: () => void | Promise<void>): Promise<void> {
    const done = this.#lastMove.then(async () => {
      this.#isMoving = true
      try {
        await step()
      } finally {
        this.#isMoving = false
        this.#rearm()
      }
    })
    this.#lastMove = done.catch(() => {})
    return done
  }

  async moveForwards(target: number): Promise<void> {
    for (let count = 0; count < MAX_JOBS_ON_THE_WAY; count += 1) {
      const timer = this.#takeDue(target)
      if (timer === undefined) break
      this.#setTime(Math.max(this.now(), timer.dueAt))
      await timer.job()
    }
    this.#setTime(Math.max(this.now(), target))
    await this.#runDue()
  }

  /** Sets the time. Every timer keeps its remaining time. */
  jumpTo(target: number): void {
    const distance = target - this.now()
    for (const timer of this.#timers) timer.dueAt += distance
    this.#setTime(target)
  }

  reset(): void {
    this.jumpTo(machineNow())
    this.#frozenAt = null
    this.#offset = 0
  }

  #setTime(time: number): void {
    if (this.#frozenAt === null) this.#offset = time - machineNow()
    else this.#frozenAt = time
  }

  #takeDue(time: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) if (first === undefined || timer.dueAt < first.dueAt) first = timer
    if (first === undefined || first.dueAt > time) return undefined
    this.#timers.delete(first)
    return first
  }

  async #runDue(): Promise<void> {
    for (let timer = this.#takeDue(this.now()); timer !== undefined; timer = this.#takeDue(this.now()))
      await timer.job()
  }

  #rearm(): void {
    clearTimeout(this.#wakeUp)
    if (this.#isMoving || this.isFrozen || this.#timers.size === 0) return
    const dueAt = Math.min(...Array.from(this.#timers, (timer) => timer.dueAt))
    const delay = Math.min(MAX_DELAY, Math.max(0, (dueAt - this.now()) * 1000))
    this.#wakeUp = setTimeout(() => this.move(() => this.#runDue()), delay)
    this.#wakeUp.unref()
  }
}
