import type { Refusal } from '#lib/errors.ts'
import type { Log } from '#lib/log.ts'
import type { Meter, Tracer } from '#lib/meter.ts'
import type { BufferedResponse, DeferredResponse, HttpRequest, HttpResponse, ResponseHeaders } from '../http-types.ts'
import { networkOf } from '../rate-limits.ts'
import type { Admission, Priority } from './admission.ts'
import type { AddressOf } from './client-address.ts'
import type { CommonHeaders } from './connection.ts'

/** The context in which requests are read and answered. */
export type ServerContext = {
  readonly dispatch: (request: HttpRequest) => Promise<HttpResponse | DeferredResponse> | HttpResponse
  readonly log: Log
  readonly meter: Meter | undefined
  readonly tracer: Tracer | undefined
  readonly nextId: () => string
  readonly addressOf: AddressOf
  readonly common: CommonHeaders
  readonly admission: Admission
  readonly priorityOf: (method: string, path: string) => Priority
  readonly networkOf: (address: string) => string | null
  readonly maxConnections: number
  readonly bodyLimit: (method: string, path: string) => number
  /** The time that a body may take, in seconds. */
  readonly bodySeconds: number
  readonly readsFiles: (method: string, path: string) => boolean
  readonly bodyGate: BodyGate
  /** Returns whether the sender has recently caused so much work that normal requests of others come first. */
  readonly isBusySender: (head: HttpRequest) => boolean
  readonly headersForPath: (path: string) => ResponseHeaders
  readonly isClosing: () => boolean
  readonly lateRefusals: LateRefusals
  /** Counts a request that is refused because the server is busy. */
  readonly noteBusyRefusal: () => void
  /** Counts a connection that is refused because its network has too many. */
  readonly noteConnectionRefusal: () => void
  /** True if plain requests are read without node:http (fast-path.ts); otherwise, node:http does everything. */
  readonly fastPath: boolean
  /** Returns whether all responses to requests for this path are held in memory. */
  readonly answersInMemory: (path: string) => boolean
  /** The time that the Keep-Alive header announces, in milliseconds. */
  readonly keepAlive: number
}

/** Decides which bodies are read and parsed, before and after they arrive. */
export type BodyGate = {
  /**
   * Admits a body of more than SHORT_BODY and at most `length` bytes once its sender has few enough others in memory.
   * Returns a response if the body must not be read.
   */
  admit(head: HttpRequest, length: number): Promise<BodyPermit | BufferedResponse>
  /** Counts a request whose body could not be parsed, and returns its response. */
  refuse(head: HttpRequest, refusal: Refusal): Promise<BufferedResponse>
}

export type BodyPermit = {
  /** Counts bytes that have arrived. Returns a response if the rest must not be read. */
  receive(bytes: number): BufferedResponse | null
  /** Must be called when the body is no longer in memory; may be called several times. */
  release(): void
}

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
