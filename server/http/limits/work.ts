/** The length of a response, in characters, that costs one unit of work. */
const LENGTH_PER_UNIT = 32 * 1024

/** The number of bytes of a body that cost one unit of work: to read and to parse, and to write a file to the disk. */
export const BODY_BYTES_PER_UNIT = 32 * 1024
export const FILE_BYTES_PER_UNIT = 256 * 1024

/** The number of messages that can be read for one unit of work. */
export const MESSAGES_PER_UNIT = 10

/** The number of recipients of a message that cost one unit of work. */
export const RECIPIENTS_PER_UNIT = 200

/** The units of work of a search without results. */
const SEARCH_UNITS = 25

/** Returns the units of work of reading messages. A search also highlights the matches in each. */
export function readingWork(messages: number, isSearch: boolean): number {
  const units = messages / MESSAGES_PER_UNIT
  return isSearch ? SEARCH_UNITS + 2 * units : units
}

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
