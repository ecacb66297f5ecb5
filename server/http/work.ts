/** The length of an answer, in characters, that counts as one unit of work. */
const LENGTH_PER_UNIT = 32 * 1024

/** How many messages that are read count as one unit of work. */
export const MESSAGES_PER_UNIT = 10

/** How many recipients of a message count as one unit of work. */
export const RECIPIENTS_PER_UNIT = 200

/** The units of work that a search takes before it finds anything. */
const SEARCH_UNITS = 25

/** The units of work of reading so many messages. A search marks what it found in each of them. */
export function readingWork(messages: number, isSearch: boolean): number {
  const units = messages / MESSAGES_PER_UNIT
  return isSearch ? SEARCH_UNITS + 2 * units : units
}

/** The work of one request: a unit, what the endpoint charges, and its share of the length of the answer. */
export const workOf = (charged: number, answerLength: number): number => 1 + charged + answerLength / LENGTH_PER_UNIT

/** How much of the work of a minute a person may cause at once. */
const BURST = 1 / 3

/** How much of what a person may cause at once is used up when others are served first. */
const BUSY = 1 / 5

/** Beyond this many people the one who was charged first is forgotten. */
const MAX_PEOPLE = 100_000

/** Sums of fractions lose their last digits. */
const TOLERANCE = 1e-6

/** The work that requests of each person, their bots included, have caused lately. */
export type WorkBudget = {
  /** Whether the person has caused so much work lately that others are to be served first. */
  isBusy(person: number, unitsPerMinute: number, now: number): boolean
  /** How many seconds from `now` the person has to wait with the next request; 0 when it may come. */
  secondsToWait(person: number, unitsPerMinute: number, now: number): number
  /** Adds the work of a request that was answered. */
  charge(person: number, units: number, unitsPerMinute: number, now: number): void
  /** Forgets everybody. */
  clear(): void
  /** How many people are remembered. */
  readonly size: number
}

/**
 * A bucket for each person, which every request fills by its work, and which loses the work of a minute in a minute. It holds a
 * third of that. What a request costs is known when it is answered, so the last one may be more than there is room for; the
 * next ones wait for as long.
 */
export function openWorkBudget(maxPeople = MAX_PEOPLE): WorkBudget {
  const buckets = new Map<number, { level: number; at: number }>()

  function levelOf(person: number, unitsPerMinute: number, now: number): number {
    const bucket = buckets.get(person)
    if (bucket === undefined) return 0
    // The clock may have been set back.
    const drained = (Math.max(0, now - bucket.at) * unitsPerMinute) / 60
    if (bucket.level <= drained) buckets.delete(person)
    return Math.max(0, bucket.level - drained)
  }

  return {
    isBusy: (person, unitsPerMinute, now) => levelOf(person, unitsPerMinute, now) > unitsPerMinute * BURST * BUSY,
    secondsToWait(person, unitsPerMinute, now) {
      const missing = levelOf(person, unitsPerMinute, now) + 1 - unitsPerMinute * BURST
      return missing <= TOLERANCE ? 0 : (missing * 60) / unitsPerMinute
    },
    charge(person, units, unitsPerMinute, now) {
      const level = levelOf(person, unitsPerMinute, now) + units
      buckets.delete(person)
      if (buckets.size >= maxPeople) forgetFirst(buckets)
      buckets.set(person, { level, at: now })
    },
    clear: () => buckets.clear(),
    get size() {
      return buckets.size
    },
  }
}

function forgetFirst(buckets: Map<number, unknown>): void {
  const first = buckets.keys().next()
  if (!first.done) buckets.delete(first.value)
}
