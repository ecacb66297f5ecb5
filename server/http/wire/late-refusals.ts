import { networkOf } from '../limits/network.ts'
import type { HttpResponse } from './http-types.ts'

/** The number of requests of a network that may be refused at once, after a time without refusals. */
const AT_ONCE = 20

/** The time between further refusals of a network, in milliseconds. */
const GAP = 50

/** The maximum time for which a refusal is held back, in milliseconds. */
const MAX_DELAY = 5000

/** The maximum number of refusals that are held back at a time. Each of them keeps a request in memory. */
const MAX_HELD = 200

type Runtime = { now(): number; after(milliseconds: number, run: () => void): void }

const system: Runtime = { now: () => performance.now(), after: (delay, run) => void setTimeout(run, delay) }

/**
 * Sends refusals with status 429 to a network one by one once it has received many: a client that repeats its requests
 * without a pause would otherwise keep the server busy with refusing them. Refusals that were sent together would return
 * together as new requests. Other responses are never delayed.
 */
export class LateRefusals {
  readonly #runtime: Runtime
  /** For each network, the time at which its refusals would be sent if none was sent at once. */
  readonly #turns = new Map<string, number>()
  #prunedAt = Number.NEGATIVE_INFINITY
  #held = 0

  constructor(runtime: Runtime = system) {
    this.#runtime = runtime
  }

  /** Returns a promise of the time at which the response to a request from this address is sent; null for at once. */
  hold({ status }: Pick<HttpResponse, 'status'>, address: () => string): Promise<void> | null {
    if (status !== 429) return null
    const now = this.#runtime.now()
    this.#prune(now)
    const network = networkOf(address())
    const turn = Math.min(Math.max(this.#turns.get(network) ?? now, now) + GAP, now + AT_ONCE * GAP + MAX_DELAY)
    this.#turns.set(network, turn)
    const delay = turn - now - AT_ONCE * GAP
    if (delay <= 0 || this.#held >= MAX_HELD) return null
    this.#held += 1
    return new Promise((resolve) =>
      this.#runtime.after(delay, () => {
        this.#held -= 1
        resolve()
      }),
    )
  }

  #prune(now: number): void {
    if (now - this.#prunedAt < 1000) return
    this.#prunedAt = now
    for (const [network, turn] of this.#turns) if (turn <= now) this.#turns.delete(network)
  }
}
