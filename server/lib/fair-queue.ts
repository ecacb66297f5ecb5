import type { Clock } from './clock.ts'
import { rateLimitHit } from './errors.ts'

// A queue for work that takes long, such as rendering or decoding images. One account can slow down only itself:
// accounts take turns, and each has a limit on waiting jobs and, if wanted, a budget of seconds. Work beyond the
// limits is refused before it begins.

/** The account for which the server does the work. */
export type Requester = {
  /** The id of the account; for bots, the id of their owner. The name of the network for callers without an account. */
  readonly key: number | string
  /** True if jobs beyond the limits are refused. If false, they wait. */
  readonly isLimited: boolean
}

/** The requester of the server's own work. */
export const SERVER_REQUESTER: Requester = { key: 0, isLimited: false }

export type FairQueueOptions = {
  clock: Pick<Clock, 'now'>
  /** The maximum number of jobs that run at the same time. */
  concurrency: number
  /** The maximum number of jobs of one requester that run at the same time; 1 if omitted. */
  concurrencyEach?: number
  /** The maximum number of waiting jobs of one requester. Jobs without limits do not count. */
  maxWaitingEach: number
  /** The maximum number of waiting jobs of all requesters together. */
  maxWaiting: number
  /** Seconds after which a requester with too many jobs should try again. */
  retryAfter: number
  /** The seconds of work that each requester gets within `per` seconds; unlimited if omitted. */
  budget?: { seconds: number; per: number }
}

/** Runs long jobs so that no requester waits for more than one job of each other requester. */
type FairQueue = {
  /**
   * Runs `work` when it is the requester's turn. Requesters take turns, and each has a limit on running jobs. `charge`
   * subtracts seconds of work from the requester's budget. Throws `rateLimitHit` if too many jobs are waiting or the
   * budget is used up.
   */
  run<Result>(requester: Requester, work: (charge: (seconds: number) => void) => Promise<Result>): Promise<Result>
}

type Job = { isLimited: boolean; start: () => Promise<void>; refuse: (error: Error) => void }

type Lane = { readonly key: number | string; readonly waiting: Job[]; running: number }

export function openFairQueue(options: FairQueueOptions): FairQueue {
  const { concurrency, concurrencyEach = 1, maxWaitingEach, maxWaiting, retryAfter } = options
  const accounts = openAccounts(options)
  const lanes = new Map<number | string, Lane>()
  /** The lanes with a job that may start, in order of their turns. */
  const ready = new Set<Lane>()
  let running = 0
  let waiting = 0

  function requireRoom(lane: Lane): void {
    if (lane.waiting.filter(({ isLimited }) => isLimited).length >= maxWaitingEach) throw rateLimitHit({ retryAfter })
    if (waiting < maxWaiting) return
    const longest = findLongest()
    if (longest === undefined || longest.waiting.length <= lane.waiting.length + 1) throw rateLimitHit({ retryAfter })
    longest.waiting.pop()?.refuse(rateLimitHit({ retryAfter }))
    waiting -= 1
  }

  /** Returns the lane with the most waiting jobs among those whose last job may be refused. */
  function findLongest(): Lane | undefined {
    let longest: Lane | undefined
    for (const lane of lanes.values()) {
      if (lane.waiting.at(-1)?.isLimited && lane.waiting.length > (longest?.waiting.length ?? 0)) longest = lane
    }
    return longest
  }

  function startNext(): void {
    for (const lane of ready) {
      if (running >= concurrency) return
      ready.delete(lane)
      const job = lane.waiting.shift()
      if (job === undefined) continue
      waiting -= 1
      lane.running += 1
      running += 1
      if (lane.waiting.length > 0 && lane.running < concurrencyEach) ready.add(lane)
      void job.start().then(() => finish(lane))
    }
  }

  function finish(lane: Lane): void {
    running -= 1
    lane.running -= 1
    if (lane.waiting.length > 0) ready.add(lane)
    else if (lane.running === 0) lanes.delete(lane.key)
    startNext()
  }

  return {
    async run({ key, isLimited }, work) {
      if (isLimited) accounts.requireBudget(key)
      const lane = lanes.get(key) ?? { key, waiting: [], running: 0 }
      if (isLimited) requireRoom(lane)
      return new Promise((resolve, reject) => {
        async function start(): Promise<void> {
          try {
            if (isLimited) accounts.requireBudget(key)
            resolve(await work((seconds) => accounts.charge(key, seconds)))
          } catch (error) {
            reject(error)
          }
        }
        lanes.set(key, lane)
        lane.waiting.push({ isLimited, start, refuse: reject })
        waiting += 1
        if (lane.running < concurrencyEach) ready.add(lane)
        startNext()
      })
    },
  }
}

/** Tracks the recent work of each requester. The tracked amount decays at the rate of the budget. */
function openAccounts({ clock, budget }: FairQueueOptions) {
  const charged = new Map<number | string, { amount: number; at: number }>()
  const speed = budget === undefined ? 0 : budget.seconds / budget.per

  function levelOf(key: number | string): number {
    const { amount, at } = charged.get(key) ?? { amount: 0, at: 0 }
    return Math.max(0, amount - Math.max(0, clock.now() - at) * speed)
  }

  /**
   * Drops accounts without recent work. They come first, because the entries are ordered by the time of their last
   * charge.
   */
  function forgetDrained(): void {
    for (const key of charged.keys()) {
      if (levelOf(key) > 0) return
      charged.delete(key)
    }
  }

  return {
    requireBudget(key: number | string): void {
      if (budget === undefined) return
      const excess = levelOf(key) - budget.seconds
      if (excess >= 0) throw rateLimitHit({ retryAfter: Math.max(1, Math.ceil(excess / speed)) })
    },
    charge(key: number | string, seconds: number): void {
      if (budget === undefined) return
      const amount = levelOf(key) + seconds
      charged.delete(key)
      charged.set(key, { amount, at: clock.now() })
      forgetDrained()
    },
  }
}
