/** Milliseconds to wait for a queue: a page that is reloaded has it a moment longer. */
const PATIENCE = 300

/**
 * Resolves to true if this page is the only one of this browser that polls the queue. No other page can claim it as long as
 * this one is open.
 */
export async function claimQueue(queueId: string): Promise<boolean> {
  // Pages without TLS have no locks.
  if (navigator.locks === undefined) return false
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const claimed = () => {
    resolve(true)
    return new Promise<never>(() => {})
  }
  const signal = AbortSignal.timeout(PATIENCE)
  navigator.locks.request(`parley.queue.${queueId}`, { signal }, claimed).catch(() => resolve(false))
  return promise
}
