import { currentBuild } from '../cache/cache-database.ts'

/** The right to poll the event queue that all pages of the user and of the same build in this browser share. */
export type Leadership = {
  /** Aborted when another page has taken over because this one did not respond. */
  readonly signal: AbortSignal
  release(): void
}

let isRefused = false

/** Pages without TLS have no locks, and some browsers refuse them to pages that may store nothing. */
export const hasLocks = (): boolean => navigator.locks !== undefined && !isRefused

/**
 * Requests the leadership: resolves when no other page has it, or at once with `ifAvailable` or `steal`. Resolves to
 * null if it is not available, `signal` is aborted before, or the browser refuses locks. A page that is closed loses
 * it.
 */
export function requestLeadership(userId: number, options: LockOptions): Promise<Leadership | null> {
  const { promise, resolve } = Promise.withResolvers<Leadership | null>()
  const lost = new AbortController()
  let isAnswered = false
  const hold = (lock: Lock | null) => {
    isAnswered = true
    if (lock === null) return resolve(null)
    return new Promise<void>((release) => resolve({ signal: lost.signal, release }))
  }
  navigator.locks.request(`parley.events.${userId}.${currentBuild()}`, options, hold).catch(() => {
    isRefused ||= !isAnswered && options.signal?.aborted !== true
    lost.abort()
    resolve(null)
  })
  return promise
}
