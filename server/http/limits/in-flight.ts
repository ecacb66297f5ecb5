import { rateLimitHit } from '#lib/errors/rate-limit-hit.ts'
import { afterPendingReads } from '../wire/after-pending-reads.ts'

/** The maximum number of requests of one user and their bots that are handled at a time. */
const MAX_RUNNING = 4

/** The maximum number of requests at a time of a user who has recently caused a lot of work. */
const MAX_RUNNING_WHEN_BUSY = 1

/**
 * The maximum number of further requests that may wait. A user may send as many in a minute, so this limit refuses no
 * request that the rate limit allows.
 */
const MAX_WAITING = 200

/** Seconds after which a user with too many requests may retry. */
const RETRY_AFTER = 1

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

export function openInFlight({ maxRunning = MAX_RUNNING, maxWaiting = MAX_WAITING } = {}): InFlight {
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
