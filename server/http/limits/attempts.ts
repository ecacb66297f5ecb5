import type { Clock } from '#lib/runtime/clock.ts'
import type { Random } from '#lib/security/random.ts'
import type { Storage } from '#storage/storage.ts'
import type { RateLimiter, RateRule, RateVerdict } from './rate-limit.ts'

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
    forget: (key) => (isLimited() ? counted.forget(key) : undefined),
  }
}

const ALLOWED: RateVerdict = { allowed: true, limit: 0, remaining: 0, resetAt: 0 }

type Counted = Omit<Attempts, 'isLimited'>

function openOwnAttempts({ limiter, clock }: Options): Counted {
  return {
    take: (key, rules) => limiter.take(key, rules, clock.now()),
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
    forget: (key) => storage.transaction(async (tx) => tx.notifyNodes('attempts-forgotten', [key])),
  }
}

type AttemptJson = { id: string; key: string; rules: readonly RateRule[] }
