import { rateLimitHit } from '#lib/errors.ts'
import { afterPendingReads } from './wire/connection.ts'

/** The length of a response, in characters, that costs one unit of work. */
const LENGTH_PER_UNIT = 32 * 1024

/** The number of bytes of a body that cost one unit of work: to read and to parse, and to write a file to the disk. */
export const BODY_BYTES_PER_UNIT = 32 * 1024
export const FILE_BYTES_PER_UNIT = 256 * 1024

/**
 * Returns the work of one request: one unit, the units that the endpoint charges, and the units for the length of the
 * response.
 */
export const workOf = (charged: number, answerLength: number): number => 1 + charged + answerLength / LENGTH_PER_UNIT

/** The share of the work of a minute that a user may cause at once. */
const BURST = 1 / 3

/** The share of BURST beyond which the requests of other users come first. */
const BUSY = 1 / 5

/** Beyond this many users, the user whose last charge is the oldest is forgotten. */
const MAX_USERS = 100_000

/** Sums of fractions lose precision. */
const TOLERANCE = 1e-6

/**
 * The work that requests have recently caused, by the id of a user, who has the work of their bots as well, or by the
 * name of a network, for requests without credentials.
 */
export type WorkBudget = {
  /** Returns whether the user has recently caused so much work that the requests of others come first. */
  isBusy(key: number | string, unitsPerMinute: number, now: number): boolean
  /** Returns the seconds that the user has to wait before the next request. */
  secondsToWait(key: number | string, unitsPerMinute: number, now: number): number
  /** Adds the work of a finished request. */
  charge(key: number | string, units: number, unitsPerMinute: number, now: number): void
  /** Forgets all users. */
  clear(): void
  /** The number of users with charged work. */
  readonly size: number
}

/**
 * Opens a budget with a leaky bucket for each user or network. Each request adds its work to the bucket, which drains at
 * the rate of the work allowed in a minute, and holds a third of that work. The work of a request is known only at its
 * end, so a request may overfill the bucket. Later requests then wait longer.
 */
export function openWorkBudget(maxUsers = MAX_USERS): WorkBudget {
  const buckets = new Map<number | string, { level: number; at: number }>()

  function levelOf(key: number | string, unitsPerMinute: number, now: number): number {
    const bucket = buckets.get(key)
    if (bucket === undefined) return 0
    // The clock may have been set back.
    const drained = (Math.max(0, now - bucket.at) * unitsPerMinute) / 60
    if (bucket.level <= drained) buckets.delete(key)
    return Math.max(0, bucket.level - drained)
  }

  return {
    isBusy: (key, unitsPerMinute, now) => levelOf(key, unitsPerMinute, now) > unitsPerMinute * BURST * BUSY,
    secondsToWait(key, unitsPerMinute, now) {
      const missing = levelOf(key, unitsPerMinute, now) + 1 - unitsPerMinute * BURST
      return missing <= TOLERANCE ? 0 : (missing * 60) / unitsPerMinute
    },
    charge(key, units, unitsPerMinute, now) {
      const level = levelOf(key, unitsPerMinute, now) + units
      buckets.delete(key)
      if (buckets.size >= maxUsers) forgetFirst(buckets)
      buckets.set(key, { level, at: now })
    },
    clear: () => buckets.clear(),
    get size() {
      return buckets.size
    },
  }
}

function forgetFirst(buckets: Map<number | string, unknown>): void {
  const first = buckets.keys().next()
  if (!first.done) buckets.delete(first.value)
}

const MEBIBYTE = 1024 * 1024

/**
 * The maximum size of the bodies that one user, with their bots, has in memory at a time, in bytes. Each body that an
 * endpoint accepts fits into it.
 */
const MAX_PER_USER = 8 * MEBIBYTE

/** The same for one network, without credentials. Such bodies have at most 64 KiB. */
const MAX_PER_NETWORK = MEBIBYTE

/** The maximum number of further bodies of a sender that wait to be read. */
const MAX_WAITING_BODIES = 100

/** The maximum number of bytes of bodies in memory. */
const MAX_TOTAL = 96 * MEBIBYTE

/** The maximum number of bytes of a sender while more than half of MAX_TOTAL is in use. */
const MAX_WHEN_HALF_FULL = MEBIBYTE

/** Seconds after which a sender with too many bodies or requests may retry. */
const RETRY_AFTER = 1

/** Limits the memory for bodies that arrive, or that have arrived and are not handled yet. */
export type BodyBudget = {
  /**
   * Reserves memory for a body of at most `length` bytes. The key is the id of a user, or the name of a network. Throws
   * `rateLimitHit` if too many bodies of the sender are waiting.
   */
  reserve(key: number | string, length: number): BodyReservation
  /** The number of bytes in memory. */
  readonly size: number
}

export type BodyReservation = {
  /** Resolves when the body may be read; null if it may be read now. */
  readonly turn: Promise<void> | null
  /** Counts bytes that have arrived. Returns false if the server has no memory for them. */
  receive(bytes: number): boolean
  /** Must be called when the body is no longer in memory. Calls after the first have no effect. */
  release(): void
}

type Reserved = { readonly length: number; readonly begin: () => void }

type Sender = { reserved: number; received: number; waiting: Reserved[] }

export function openBodyBudget(maxTotal = MAX_TOTAL): BodyBudget {
  const senders = new Map<number | string, Sender>()
  let total = 0

  function senderOf(key: number | string): Sender {
    const sender = senders.get(key) ?? { reserved: 0, received: 0, waiting: [] }
    senders.set(key, sender)
    return sender
  }

  function beginNext(key: number | string, sender: Sender): void {
    for (let [next] = sender.waiting; next !== undefined && fits(key, sender, next.length); [next] = sender.waiting) {
      sender.waiting.shift()
      sender.reserved += next.length
      next.begin()
    }
    if (sender.reserved === 0 && sender.waiting.length === 0) senders.delete(key)
  }

  return {
    reserve(key, bytes) {
      const length = Math.min(bytes, maxOf(key))
      const sender = senderOf(key)
      const isNow = sender.waiting.length === 0 && fits(key, sender, length)
      if (!isNow && sender.waiting.length >= MAX_WAITING_BODIES) throw rateLimitHit({ retryAfter: RETRY_AFTER })
      const { promise, resolve } = Promise.withResolvers<void>()
      const place = { length, begin: resolve }
      if (isNow) sender.reserved += length
      else sender.waiting.push(place)

      let received = 0
      let isReleased = false
      return {
        turn: isNow ? null : promise,
        receive(more) {
          const sum = total + more
          if (sum > maxTotal) return false
          if (sum > maxTotal / 2 && sender.received + more > MAX_WHEN_HALF_FULL) return false
          total = sum
          received += more
          sender.received += more
          return true
        },
        release() {
          if (isReleased) return
          isReleased = true
          total -= received
          sender.received -= received
          const at = sender.waiting.indexOf(place)
          if (at === -1) sender.reserved -= length
          else sender.waiting.splice(at, 1)
          beginNext(key, sender)
        },
      }
    },
    get size() {
      return total
    },
  }
}

const maxOf = (key: number | string) => (typeof key === 'number' ? MAX_PER_USER : MAX_PER_NETWORK)

const fits = (key: number | string, { reserved }: Sender, length: number) => reserved + length <= maxOf(key)

/** The maximum number of requests of one user and their bots that are handled at a time. */
const MAX_RUNNING = 4

/** The maximum number of requests at a time of a user who has recently caused a lot of work. */
const MAX_RUNNING_WHEN_BUSY = 1

/**
 * The maximum number of further requests that may wait. A user may send as many in a minute, so this limit refuses no
 * request that the rate limit allows.
 */
const MAX_WAITING_WORK = 200

/** Limits the number of requests of each user that are handled at a time. */
export type InFlight = {
  /**
   * Admits a request: returns null if it may run now, else a promise that resolves when it may. Throws `rateLimitHit`
   * if too many are waiting. A request that waited runs after the pending requests of other users. So does each request
   * of a busy user, who may run only one at a time.
   */
  enter(userId: number, isBusy: boolean): Promise<void> | null
  /** Ends a request that was admitted. */
  leave(userId: number): void
}

/** The same limits for files that arrive. They need little work, and may take an hour. */
export const UPLOADS_IN_FLIGHT = { maxRunning: 8, maxWaiting: 50 }

export function openInFlight({ maxRunning = MAX_RUNNING, maxWaiting = MAX_WAITING_WORK } = {}): InFlight {
  const queues = new Map<number, { running: number; waiting: (() => void)[] }>()

  return {
    enter(userId, isBusy) {
      const queue = queues.get(userId) ?? { running: 0, waiting: [] }
      if (queue.running < (isBusy ? MAX_RUNNING_WHEN_BUSY : maxRunning)) {
        queue.running += 1
        queues.set(userId, queue)
        return isBusy ? othersServed() : null
      }
      if (queue.waiting.length >= maxWaiting) throw rateLimitHit({ retryAfter: RETRY_AFTER })
      const { promise, resolve } = Promise.withResolvers<void>()
      queue.waiting.push(resolve)
      // Without a pause, the waiting requests would run one after another in the same turn of the event loop.
      return promise.then(othersServed)
    },
    leave(userId) {
      const queue = queues.get(userId)
      if (queue === undefined) return
      const next = queue.waiting.shift()
      if (next !== undefined) return next()
      queue.running -= 1
      if (queue.running === 0) queues.delete(userId)
    },
  }
}

/** Resolves when the event loop has read the requests of others, and handled as many of them as fit into one turn. */
const othersServed = () => new Promise<void>((resolve) => afterPendingReads(resolve))
