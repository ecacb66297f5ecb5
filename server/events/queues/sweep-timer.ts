import type { Clock } from '#lib/runtime/clock.ts'

/** Runs a sweep at the earliest of the requested times. */
export class SweepTimer {
  readonly #clock: Clock
  readonly #sweep: () => Promise<void>
  /** Infinite while no sweep is scheduled. */
  #scheduledAt = Number.POSITIVE_INFINITY
  #cancel = () => {}
  #isClosed = false

  constructor(clock: Clock, sweep: () => Promise<void>) {
    this.#clock = clock
    this.#sweep = sweep
  }

  scheduleBy(time: number): void {
    if (this.#isClosed || time >= this.#scheduledAt) return
    this.#cancel()
    this.#cancel = this.#clock.schedule(time, this.#sweep)
    this.#scheduledAt = time
  }

  cancel(): void {
    this.#cancel()
    this.#scheduledAt = Number.POSITIVE_INFINITY
  }

  close(): void {
    this.#isClosed = true
    this.cancel()
  }
}
