import { networkOf } from '../limits/network.ts'
import type { HttpResponse } from './http-types.ts'

/** The number of requests of a network that are refused at once in a second. */
const AT_ONCE = 20

/** The time for which further refusals are held back, in milliseconds. */
const DELAY = 1000

/** The maximum number of refusals that are held back at a time. Each of them keeps a request in memory. */
const MAX_HELD = 2000

type Runtime = { now(): number; after(milliseconds: number, run: () => void): void }

const system: Runtime = { now: () => performance.now(), after: (delay, run) => void setTimeout(run, delay) }

/**
 * Holds back refusals with status 429 of a network that has just received many: a client that repeats its requests
 * without a pause would otherwise keep the server busy with refusing them. Other responses are never delayed.
 */
export class LateRefusals {
  readonly #runtime: Runtime
  readonly #counts = new Map<string, number>()
  #since = Number.NEGATIVE_INFINITY
  #held = 0

  constructor(runtime: Runtime = system) {
    this.#runtime = runtime
  }

  /** Returns a promise of the time at which the response to a request from this address is sent; null for at once. */
  hold({ status }: Pick<HttpResponse, 'status'>, address: () => string): Promise<void> | null {
    if (status !== 429) return null
    const { now, after } = this.#runtime
    if (now() - this.#since >= 1000) {
      this.#counts.clear()
      this.#since = now()
    }
    const network = networkOf(address())
    const count = (this.#counts.get(network) ?? 0) + 1
    this.#counts.set(network, count)
    if (count <= AT_ONCE || this.#held >= MAX_HELD) return null
    this.#held += 1
    return new Promise((resolve) =>
      after(DELAY, () => {
        this.#held -= 1
        resolve()
      }),
    )
  }
}
