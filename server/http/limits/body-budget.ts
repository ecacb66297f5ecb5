import { rateLimitHit } from '#lib/errors/rate-limit-hit.ts'

const MEBIBYTE = 1024 * 1024

/**
 * The maximum size of the bodies that one user, with their bots, has in memory at a time, in bytes. Each body that an
 * endpoint accepts fits into it.
 */
const MAX_PER_USER = 8 * MEBIBYTE

/** The same for one network, without credentials. Such bodies have at most 64 KiB. */
const MAX_PER_NETWORK = MEBIBYTE

/** The maximum number of further bodies of a sender that wait to be read. */
const MAX_WAITING = 100

/** The maximum number of bytes of bodies in memory. */
const MAX_TOTAL = 96 * MEBIBYTE

/** The maximum number of bytes of a sender while more than half of MAX_TOTAL is in use. */
const MAX_WHEN_HALF_FULL = MEBIBYTE

/** Seconds after which a sender with too many bodies may retry. */
const RETRY_AFTER = 1

/** Limits the memory for bodies that arrive, or that have arrived and are not handled yet. */
export type BodyBudget = {
  /**
   * Reserves memory for a body of at most `length` bytes. The key is the id of a user, or the name of a network. Throws
   * `rateLimitHit` if too many bodies of the sender are waiting.
   */
  reserve(key: number | string, length: number): BodyReservation
  /** The number of bytes in memory. */
  readonly size: number
}

export type BodyReservation = {
  /** Resolves when the body may be read; null if it may be read now. */
  readonly turn: Promise<void> | null
  /** Counts bytes that have arrived. Returns false if the server has no memory for them. */
  receive(bytes: number): boolean
  /** Must be called when the body is no longer in memory. Calls after the first have no effect. */
  release(): void
}

type Reserved = { readonly length: number; readonly begin: () => void }

type Sender = { reserved: number; received: number; waiting: Reserved[] }

export function openBodyBudget(maxTotal = MAX_TOTAL): BodyBudget {
  const senders = new Map<number | string, Sender>()
  let total = 0

  function senderOf(key: number | string): Sender {
    const sender = senders.get(key) ?? { reserved: 0, received: 0, waiting: [] }
    senders.set(key, sender)
    return sender
  }

  function beginNext(key: number | string, sender: Sender): void {
    for (let [next] = sender.waiting; next !== undefined && fits(key, sender, next.length); [next] = sender.waiting) {
      sender.waiting.shift()
      sender.reserved += next.length
      next.begin()
    }
    if (sender.reserved === 0 && sender.waiting.length === 0) senders.delete(key)
  }

  return {
    reserve(key, bytes) {
      const length = Math.min(bytes, maxOf(key))
      const sender = senderOf(key)
      const isNow = sender.waiting.length === 0 && fits(key, sender, length)
      if (!isNow && sender.waiting.length >= MAX_WAITING) throw rateLimitHit({ retryAfter: RETRY_AFTER })
      const { promise, resolve } = Promise.withResolvers<void>()
      const place = { length, begin: resolve }
      if (isNow) sender.reserved += length
      else sender.waiting.push(place)

      let received = 0
      let isReleased = false
      return {
        turn: isNow ? null : promise,
        receive(more) {
          const sum = total + more
          if (sum > maxTotal) return false
          if (sum > maxTotal / 2 && sender.received + more > MAX_WHEN_HALF_FULL) return false
          total = sum
          received += more
          sender.received += more
          return true
        },
        release() {
          if (isReleased) return
          isReleased = true
          total -= received
          sender.received -= received
          const at = sender.waiting.indexOf(place)
          if (at === -1) sender.reserved -= length
          else sender.waiting.splice(at, 1)
          beginNext(key, sender)
        },
      }
    },
    get size() {
      return total
    },
  }
}

const maxOf = (key: number | string) => (typeof key === 'number' ? MAX_PER_USER : MAX_PER_NETWORK)

const fits = (key: number | string, { reserved }: Sender, length: number) => reserved + length <= maxOf(key)
