import { rateLimitHit } from '../platform/errors/rate-limit-hit.ts'
import { afterPendingReads } from './wire/after-pending-reads.ts'

/** How many requests of one person, their bots included, are answered at a time. */
const MAX_RUNNING = 4

/** The same of a person who has caused much work lately. */
const MAX_RUNNING_WHEN_BUSY = 1

/** How many more wait; as many as a person may send in a minute, so that whoever keeps to that is never refused here. */
const MAX_WAITING = 200

/** Seconds after which a person with too many requests should try again. */
const RETRY_AFTER = 1

/** The requests of each person that are being answered. */
export type InFlight = {
  /**
   * Takes a place for a request: null where there is one, else resolves when there is. Throws `rateLimitHit` when too many
   * wait. Of a busy person one request runs at a time, and others are served before each.
   */
  enter(person: number, isBusy: boolean): Promise<void> | null
  /** Gives the place up. */
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

/** Resolves when the event loop has read what others ask, and answered as much of it as one turn holds. */
const othersServed = () => new Promise<void>((resolve) => afterPendingReads(resolve))
