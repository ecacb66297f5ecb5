import { createAtom } from '@tanstack/store'
import { currentBuild } from './cache-database.ts'

/** The right to poll the event queue. All pages of the same user and build in this browser share the queue. */
export type Leadership = {
  /** Aborted when another page has taken over because this page did not respond. */
  readonly signal: AbortSignal
  release(): void
}

const isRefused = createAtom(false)

/**
 * Returns true if the page can use locks. Pages without TLS have none, and some browsers refuse locks to pages that may
 * not store anything.
 */
export const hasLocks = (): boolean => navigator.locks !== undefined && !isRefused.get()

/**
 * Requests the leadership. Resolves once no other page holds it, or at once with `ifAvailable` or `steal`. Resolves to
 * null if another page holds it (`ifAvailable`), if `signal` is aborted first, or if the browser refuses locks. Closing
 * the page releases it.
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
    if (!isAnswered && options.signal?.aborted !== true) isRefused.set(true)
    lost.abort()
    resolve(null)
  })
  return promise
}
