import { rateLimitHit } from '../platform/errors/rate-limit-hit.ts'
import { afterPendingReads } from './wire/after-pending-reads.ts'

/** The number of requests of one user, with their bots, that are handled at a time. */
const MAX_RUNNING = 4

/** The same for a user who has caused much work lately. */
const MAX_RUNNING_WHEN_BUSY = 1

/** The number of further requests that may wait: as many as a user may send in a minute, so that this limit alone refuses none. */
const MAX_WAITING = 200

/** Seconds after which a user with too many requests may retry. */
const RETRY_AFTER = 1

/** Limits the number of requests of each user that are handled at a time. */
export type InFlight = {
  /**
   * Admits a request: returns null if it may run now, else a promise that resolves when it may. Throws `rateLimitHit` if too
   * many are waiting. A busy user has one request at a time, and the requests of others run before each.
   */
  enter(person: number, isBusy: boolean): Promise<void> | null
  /** Ends a request that was admitted. */
  leave(person: number): void
}

export function openInFlight({ maxWaiting = MAX_WAITING } = {}): InFlight {
  const lanes = new Map<number, { running: number; waiting: (() => void)[] }>()

  return {
    enter(person, isBusy) {
      const lane = lanes.get(person) ?? { running: 0, waiting: [] }
      if (lane.running < (isBusy ? MAX_RUNNING_WHEN_BUSY : MAX_RUNNING)) {
        lane.running += 1
        lanes.set(person, lane)
        return isBusy ? othersServed() : null
      }
      if (lane.waiting.length >= maxWaiting) throw rateLimitHit({ retryAfter: RETRY_AFTER })
      const { promise, resolve } = Promise.withResolvers<void>()
      lane.waiting.push(resolve)
      return isBusy ? promise.then(othersServed) : promise
    },
    leave(person) {
      const lane = lanes.get(person)
      if (lane === undefined) return
      const next = lane.waiting.shift()
      if (next !== undefined) return next()
      lane.running -= 1
      if (lane.running === 0) lanes.delete(person)
    },
  }
}

/** Resolves when the event loop has read the requests of others, and handled as many of them as fit into one turn. */
const othersServed = () => new Promise<void>((resolve) => afterPendingReads(resolve))
