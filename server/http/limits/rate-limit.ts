/** Allows `count` requests in `seconds`. */
export type RateRule = readonly [seconds: number, count: number]

/**
 * The decision about a request. `limit`, `remaining` and `resetAt` (the UNIX second at which the bucket is empty again)
 * belong to the rule with the longest window. After `retryAfter` seconds no rule refuses a request.
 */
export type RateVerdict =
  | { readonly allowed: true; readonly limit: number; readonly remaining: number; readonly resetAt: number }
  | {
      readonly allowed: false
      readonly limit: number
      readonly remaining: 0
      readonly resetAt: number
      readonly retryAfter: number
    }

/** Returns the limit of the rule with the longest window. */
export function limitOf(rules: readonly RateRule[]): number {
  return longestOf(rules)[1]
}

function longestOf(rules: readonly RateRule[]): RateRule {
  let [window, limit] = [0, 0]
  for (const [seconds, count] of rules)
    if (seconds > window || (seconds === window && count < limit)) [window, limit] = [seconds, count]
  return [window, limit]
}

export type RateLimiter = {
  /** Counts a request of this key at `now`, unless one of the rules refuses it. There must be at least one rule. */
  take(key: number | string, rules: readonly RateRule[], now: number): RateVerdict
  /** Returns the verdict that would refuse a request of this key, or null. Counts nothing. */
  findRefusal(key: number | string, rules: readonly RateRule[], now: number): RateVerdict | null
  /** Forgets the requests of a key. */
  forget(key: number | string): void
  /** Forgets all keys. */
  clear(): void
  /** The number of keys with counted requests. */
  readonly size: number
}

/** The times of a key's accepted requests, oldest first, in a ring buffer that grows. */
type Bucket = { times: Float64Array; first: number; length: number; window: number }

/** Beyond this many keys, the key that was added first is forgotten. */
const MAX_KEYS = 100_000

/** Sums of times lose precision, so a request that is early by this much counts as on time. */
const TOLERANCE = 1e-6

/** Opens a limiter with a sliding log for each key: exact, in constant time, and without idle keys. */
export function openRateLimiter(maxKeys = MAX_KEYS): RateLimiter {
  const buckets = new Map<number | string, Bucket>()
  let sweepAt = Number.NEGATIVE_INFINITY

  return {
    take(key, rules, now) {
      if (now >= sweepAt) {
        sweepAt = now + forgetIdle(buckets, now)
      }
      let bucket = buckets.get(key)
      if (bucket === undefined) {
        bucket = { times: new Float64Array(8), first: 0, length: 0, window: 0 }
        if (buckets.size >= maxKeys) forgetFirst(buckets)
        buckets.set(key, bucket)
      }
      const verdict = judge(bucket, rules, now)
      if (!verdict.allowed) return verdict
      append(bucket, now)
      return verdict
    },
    findRefusal(key, rules, now) {
      const bucket = buckets.get(key)
      const verdict = bucket === undefined ? null : judge(bucket, rules, now)
      return verdict?.allowed === false ? verdict : null
    },
    forget: (key) => void buckets.delete(key),
    clear: () => buckets.clear(),
    get size() {
      return buckets.size
    },
  }
}

/** Returns the verdict on one more request. If the request is allowed, `remaining` and `resetAt` already count it. */
function judge(bucket: Bucket, rules: readonly RateRule[], now: number): RateVerdict {
  const [window, limit] = longestOf(rules)
  bucket.window = window
  forgetPassed(bucket, now)

  let retryAfter = 0
  for (const [seconds, count] of rules) {
    if (bucket.length < count) continue
    retryAfter = Math.max(retryAfter, timeAt(bucket, bucket.length - count) + seconds - now)
  }
  if (retryAfter <= TOLERANCE)
    return {
      allowed: true,
      limit,
      remaining: Math.max(0, limit - bucket.length - 1),
      resetAt: Math.ceil(now + window),
    }
  const newest = timeAt(bucket, bucket.length - 1)
  return { allowed: false, limit, remaining: 0, resetAt: Math.ceil(newest + window), retryAfter }
}

/** Drops requests outside the window, and all of them if the clock was set back. */
function forgetPassed(bucket: Bucket, now: number): void {
  if (bucket.length > 0 && timeAt(bucket, bucket.length - 1) > now) bucket.length = 0
  while (bucket.length > 0 && timeAt(bucket, 0) + bucket.window - now <= TOLERANCE) {
    bucket.first = (bucket.first + 1) % bucket.times.length
    bucket.length -= 1
  }
}

const timeAt = ({ times, first }: Bucket, at: number) => times[(first + at) % times.length] as number

function append(bucket: Bucket, time: number): void {
  if (bucket.length === bucket.times.length) {
    const times = new Float64Array(bucket.times.length * 2)
    for (let at = 0; at < bucket.length; at += 1) times[at] = timeAt(bucket, at)
    bucket.times = times
    bucket.first = 0
  }
  bucket.times[(bucket.first + bucket.length) % bucket.times.length] = time
  bucket.length += 1
}

/** Drops the keys whose requests have all left their window. Returns the seconds until the next check. */
function forgetIdle(buckets: Map<number | string, Bucket>, now: number): number {
  let shortest = Number.POSITIVE_INFINITY
  for (const [key, bucket] of buckets) {
    forgetPassed(bucket, now)
    if (bucket.length === 0) buckets.delete(key)
    else shortest = Math.min(shortest, bucket.window)
  }
  return Math.max(1, Math.min(60, shortest))
}

function forgetFirst(buckets: Map<number | string, Bucket>): void {
  const first = buckets.keys().next()
  if (!first.done) buckets.delete(first.value)
}
