import { isIPv6 } from 'node:net'
import type { Clock } from '#lib/clock.ts'
import { rateLimitHit } from '#lib/errors.ts'
import { hashSecret, type Random } from '#lib/secrets.ts'
import type { Storage } from '#storage/storage.ts'

// Limits on the number of requests, of attempts such as wrong passwords, and of log lines, by user, network, site and
// in total. All counts are in memory, and a restart forgets them. Attempts at several nodes have the same limit as at one,
// since each node announces them to all others first. Of requests, each node tells the others a second later how many it
// has accepted from those who have used up a part of their limit. Times are UNIX seconds.

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
  /** Counts requests that other nodes have accepted. */
  record(key: number | string, rules: readonly RateRule[], now: number, count: number): void
  /** Takes back the last request of a key that was counted. */
  takeBack(key: number | string): void
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

  function bucketOf(key: number | string, now: number): Bucket {
    if (now >= sweepAt) sweepAt = now + forgetIdle(buckets, now)
    let bucket = buckets.get(key)
    if (bucket === undefined) {
      bucket = { times: new Float64Array(8), first: 0, length: 0, window: 0 }
      if (buckets.size >= maxKeys) forgetFirst(buckets)
      buckets.set(key, bucket)
    }
    return bucket
  }

  return {
    take(key, rules, now) {
      const bucket = bucketOf(key, now)
      const verdict = judge(bucket, rules, now)
      if (!verdict.allowed) return verdict
      append(bucket, now)
      return verdict
    },
    record(key, rules, now, count) {
      const bucket = bucketOf(key, now)
      for (let at = 0; at < count && judge(bucket, rules, now).allowed; at++) append(bucket, now)
    },
    findRefusal(key, rules, now) {
      const bucket = buckets.get(key)
      const verdict = bucket === undefined ? null : judge(bucket, rules, now)
      return verdict?.allowed === false ? verdict : null
    },
    takeBack(key) {
      const bucket = buckets.get(key)
      if (bucket !== undefined && bucket.length > 0) bucket.length -= 1
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

/** The part of a limit that a node accepts before it notifies the others. */
const UNSHARED_PART = 0.25

/** The maximum number of keys in a message to the other nodes, so that it fits into a notification. */
const MAX_SHARED_KEYS = 100

/**
 * Opens a limiter of requests that nodes share approximately: within a second, each learns how many requests the others
 * have accepted from those who have used more than a quarter of their limit at one node.
 */
export function shareRequests(
  limiter: RateLimiter,
  { storage, clock }: { storage: Pick<Storage, 'isShared' | 'notifyNodes' | 'onNodeNotification'>; clock: Clock },
): RateLimiter {
  if (!storage.isShared) return limiter
  const accepted = new Map<number | string, SharedCount>()

  function send(): void {
    const counts = [...accepted].map(([key, { rules, count }]): SharedCountJson => [key, rules, count])
    accepted.clear()
    counts.sort(([, , one], [, , other]) => other - one)
    const words = counts.slice(0, MAX_SHARED_KEYS).map((count) => JSON.stringify(count))
    storage.notifyNodes('requests', words)
  }

  storage.onNodeNotification('requests', (words) => {
    for (const word of words) {
      const [key, rules, count] = JSON.parse(String(word)) as SharedCountJson
      limiter.record(key, rules, clock.now(), count)
    }
  })
  return {
    ...limiter,
    get size() {
      return limiter.size
    },
    take(key, rules, now) {
      const verdict = limiter.take(key, rules, now)
      if (!verdict.allowed || verdict.remaining >= verdict.limit * (1 - UNSHARED_PART)) return verdict
      if (accepted.size === 0) clock.schedule(now + 1, send)
      accepted.set(key, { rules, count: (accepted.get(key)?.count ?? 0) + 1 })
      return verdict
    },
  }
}

type SharedCount = { rules: readonly RateRule[]; count: number }
type SharedCountJson = [key: number | string, rules: readonly RateRule[], count: number]

/**
 * If the message about an attempt has not come back after this many seconds, the connection between the nodes was lost.
 * The attempt is then counted on this node alone.
 */
const PATIENCE = 5

/** Counts attempts to guess a secret or to exhaust a resource. Several nodes count them together. */
export type Attempts = {
  /** Returns whether attempts are limited. If not, all are allowed, and none is counted. */
  isLimited(): boolean
  /** Counts an attempt of this key unless one of the rules refuses it. There must be at least one rule. */
  take(key: string, rules: readonly RateRule[]): RateVerdict | Promise<RateVerdict>
  /** Takes back an attempt that was counted, because nothing was tried. */
  takeBack(key: string): void | Promise<void>
  /** Resets the count of a key. */
  forget(key: string): void | Promise<void>
}

type Options = {
  storage: Pick<Storage, 'isShared' | 'transaction' | 'onNodeNotification'>
  limiter: RateLimiter
  clock: Clock
  random: Random
  /** Returns whether attempts are limited; always, if omitted. */
  isLimited?: () => boolean
}

export function openAttempts(options: Options): Attempts {
  const counted = options.storage.isShared ? openSharedAttempts(options) : openOwnAttempts(options)
  const isLimited = options.isLimited ?? (() => true)
  return {
    isLimited,
    take: (key, rules) => (isLimited() ? counted.take(key, rules) : ALLOWED),
    takeBack: (key) => (isLimited() ? counted.takeBack(key) : undefined),
    forget: (key) => (isLimited() ? counted.forget(key) : undefined),
  }
}

const ALLOWED: RateVerdict = { allowed: true, limit: 0, remaining: 0, resetAt: 0 }

type Counted = Omit<Attempts, 'isLimited'>

function openOwnAttempts({ limiter, clock }: Options): Counted {
  return {
    take: (key, rules) => limiter.take(key, rules, clock.now()),
    takeBack: limiter.takeBack,
    forget: limiter.forget,
  }
}

/**
 * Announces each attempt to all nodes before it is made, and decides about it when this node receives its own message.
 * All nodes receive all messages in the same order, so concurrent attempts at several nodes have the same limit as at
 * one node.
 */
function openSharedAttempts({ storage, limiter, clock, random }: Options): Counted {
  const node = random.bytes(9).toString('base64url')
  const pending = new Map<string, (verdict: RateVerdict) => void>()
  let count = 0

  storage.onNodeNotification(
    'attempts',
    (words) => {
      for (const word of words) {
        const { id, key, rules } = JSON.parse(String(word)) as AttemptJson
        // The clocks of other nodes may be behind: this node uses its own.
        const verdict = limiter.take(key, rules, clock.now())
        pending.get(id)?.(verdict)
      }
    },
    { isOwnToo: true },
  )
  storage.onNodeNotification(
    'attempts-taken-back',
    (keys) => {
      for (const key of keys) limiter.takeBack(String(key))
    },
    { isOwnToo: true },
  )
  storage.onNodeNotification(
    'attempts-forgotten',
    (keys) => {
      for (const key of keys) limiter.forget(String(key))
    },
    { isOwnToo: true },
  )

  async function takeAmongAll(attempt: AttemptJson): Promise<RateVerdict> {
    const { id, key, rules } = attempt
    const { promise: verdict, resolve } = Promise.withResolvers<RateVerdict>()
    pending.set(id, resolve)
    let cancel = () => {}
    try {
      await storage.transaction(async (tx) => tx.notifyNodes('attempts', [JSON.stringify(attempt)]))
      cancel = clock.schedule(clock.now() + PATIENCE, () => {
        // If this process was suspended, the message may have arrived without having been read.
        setImmediate(() => pending.has(id) && resolve(limiter.take(key, rules, clock.now())))
      })
      return await verdict
    } finally {
      cancel()
      pending.delete(id)
    }
  }

  return {
    take(key, rules) {
      const refusal = limiter.findRefusal(key, rules, clock.now())
      if (refusal !== null) return refusal
      count += 1
      return takeAmongAll({ id: `${node} ${count}`, key, rules })
    },
    takeBack: (key) => storage.transaction(async (tx) => tx.notifyNodes('attempts-taken-back', [key])),
    forget: (key) => storage.transaction(async (tx) => tx.notifyNodes('attempts-forgotten', [key])),
  }
}

type AttemptJson = { id: string; key: string; rules: readonly RateRule[] }

/** Returns the network of an address: for IPv6 the first 64 bits, since one caller may have all addresses in it. */
export function networkOf(remoteAddress: string): string {
  const [address = ''] = remoteAddress.split('%')
  const mapped = MAPPED.exec(address)?.[1]
  return mapped ?? (isIPv6(address) ? prefixOf(address, 4) : remoteAddress)
}

/** Returns the first 48 bits of an IPv6 address, the usual size of a site; null for all other addresses. */
export function siteOf(remoteAddress: string): string | null {
  const [address = ''] = remoteAddress.split('%')
  return isIPv6(address) && !MAPPED.test(address) ? prefixOf(address, 3) : null
}

/** An IPv4 address in the form of an IPv6 address. */
const MAPPED = /^::ffff:([\d.]+)$/i

/** Returns the network with the first `count` groups of 16 bits of the address. */
function prefixOf(address: string, count: number): string {
  const [head = '', tail] = address.split('::')
  const groups = groupsOf(head)
  const missing = tail === undefined ? 0 : 8 - groups.length - groupsOf(tail).length
  const network = [...groups, ...Array<string>(missing).fill('0'), ...groupsOf(tail ?? '')].slice(0, count)
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/${16 * count}`
}

/** Returns the groups of 16 bits. An IPv4 address at the end counts as two. */
const groupsOf = (text: string) =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : group))

/** The maximum number of log lines about an event that anyone can cause, in a minute: from one network, and in total. */
const LINES_PER_NETWORK = 20
const LINES = 100

/** Decides which security events that anyone can cause are logged, so that a flood of requests does not fill the log. */
export type SecurityLines = {
  /** Returns how many events of this kind were left out since the last one that was logged; null to leave it out, too. */
  take(event: string, network: string): number | null
}

export function openSecurityLines(clock: Clock): SecurityLines {
  const counts = new Map<string, number>()
  const leftOut = new Map<string, number>()
  let minute = 0
  return {
    take(event, network) {
      const now = Math.floor(clock.now() / 60)
      if (now !== minute) counts.clear()
      minute = now
      const [total, own] = [counts.get(event) ?? 0, counts.get(`${event} ${network}`) ?? 0]
      if (total >= LINES || own >= LINES_PER_NETWORK) {
        leftOut.set(event, (leftOut.get(event) ?? 0) + 1)
        return null
      }
      counts.set(event, total + 1).set(`${event} ${network}`, own + 1)
      const count = leftOut.get(event) ?? 0
      leftOut.delete(event)
      return count
    },
  }
}

export type RequestOrigin = { attempts: Attempts; remoteAddress: string }

/** Counts a request for `what` from the caller's network. Refuses it if there are more than the rules allow. */
export async function limitByNetwork(
  { attempts, remoteAddress }: RequestOrigin,
  what: string,
  rules: readonly RateRule[],
): Promise<void> {
  const verdict = await attempts.take(networkKey(what, remoteAddress), rules)
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

/**
 * Limits the requests from the site of an IPv6 address in the same way. Requests from IPv4 addresses have no such
 * limit.
 */
export async function limitBySite(
  { attempts, remoteAddress }: RequestOrigin,
  what: string,
  rules: readonly RateRule[],
): Promise<void> {
  const site = siteOf(remoteAddress)
  if (site === null) return
  const verdict = await attempts.take(`${what} from ${site}`, rules)
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

/** Limits the requests from all networks together in the same way. */
export async function limitGlobally(
  { attempts }: RequestOrigin,
  what: string,
  rules: readonly RateRule[],
): Promise<void> {
  const verdict = await attempts.take(`${what} from anywhere`, rules)
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

/**
 * Takes back what `limitByNetwork` counted and, if `isGlobal`, what `limitBySite` and `limitGlobally` counted, because
 * nothing was tried.
 */
export async function takeBackAttempt(
  { attempts, remoteAddress }: RequestOrigin,
  what: string,
  { isGlobal }: { isGlobal: boolean },
): Promise<void> {
  await attempts.takeBack(networkKey(what, remoteAddress))
  if (!isGlobal) return
  const site = siteOf(remoteAddress)
  if (site !== null) await attempts.takeBack(`${what} from ${site}`)
  await attempts.takeBack(`${what} from anywhere`)
}

/** Resets the count of `limitByNetwork`. */
export async function resetNetworkLimit({ attempts, remoteAddress }: RequestOrigin, what: string): Promise<void> {
  await attempts.forget(networkKey(what, remoteAddress))
}

/** Resets the count of `limitBySite`. */
export async function resetSiteLimit({ attempts, remoteAddress }: RequestOrigin, what: string): Promise<void> {
  const site = siteOf(remoteAddress)
  if (site !== null) await attempts.forget(`${what} from ${site}`)
}

/** Resets the count of `limitGlobally`. */
export async function resetGlobalLimit({ attempts }: RequestOrigin, what: string): Promise<void> {
  await attempts.forget(`${what} from anywhere`)
}

const networkKey = (what: string, remoteAddress: string) => `${what} from ${networkOf(remoteAddress)}`

/** The limits for emails to an address that anyone can enter in a form: one in ten minutes, and five a day. */
const ENTERED_ADDRESS: readonly RateRule[] = [
  [600, 1],
  [86_400, 5],
]

/**
 * Counts an email `about` something to the address. Returns whether it may be sent, which the response must not reveal.
 */
export async function mayMail(
  { attempts }: Pick<RequestOrigin, 'attempts'>,
  about: string,
  email: string,
  rules: readonly RateRule[] = ENTERED_ADDRESS,
): Promise<boolean> {
  return (await attempts.take(`${about} to ${hashSecret(email.toLowerCase())}`, rules)).allowed
}
