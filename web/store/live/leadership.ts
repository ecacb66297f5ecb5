/** The right to poll the event queue that all pages of the user in this browser share. */
export type Leadership = {
  /** Aborted when another page has taken it, since this one did not respond. */
  readonly signal: AbortSignal
  release(): void
}

/** Pages without TLS have no locks. */
export const hasLocks = (): boolean => navigator.locks !== undefined

/**
 * Requests the leadership: resolves when no other page has it, or at once with `ifAvailable` or `steal`. Resolves to null if it
 * is not available, or `signal` is aborted before. A page that is closed loses it.
 */
export function requestLeadership(userId: number, options: LockOptions): Promise<Leadership | null> {
  const { promise, resolve } = Promise.withResolvers<Leadership | null>()
  const lost = new AbortController()
  const hold = (lock: Lock | null) => {
    if (lock === null) return resolve(null)
    return new Promise<void>((release) => resolve({ signal: lost.signal, release }))
  }
  navigator.locks.request(`parley.events.${userId}`, options, hold).catch(() => {
    lost.abort()
    resolve(null)
  })
  return promise
}
