import { rateLimitHit } from '../base/rate-limit-hit.ts'

/** How many requests of one person, their bots included, are answered at a time. */
const MAX_RUNNING = 4

/** How many more wait; as many as a person may send in a minute, so that whoever keeps to that is never refused here. */
const MAX_WAITING = 200

/** Seconds after which a person with too many requests should try again. */
const RETRY_AFTER = 1

/** The requests of each person that are being answered. */
export type InFlight = {
  /** Takes a place for a request: null where there is one, else resolves when there is. Throws `rateLimitHit` when too many wait. */
  enter(person: number): Promise<void> | null
  /** Gives the place up. */
  leave(person: number): void
}

export function openInFlight({ maxRunning = MAX_RUNNING, maxWaiting = MAX_WAITING } = {}): InFlight {
  const lanes = new Map<number, { running: number; waiting: (() => void)[] }>()

  return {
    enter(person) {
      const lane = lanes.get(person)
      if (lane === undefined) lanes.set(person, { running: 1, waiting: [] })
      else if (lane.running < maxRunning) lane.running += 1
      else if (lane.waiting.length >= maxWaiting) throw rateLimitHit({ retryAfter: RETRY_AFTER })
      else return new Promise((resolve) => lane.waiting.push(resolve))
      return null
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
