/**
 * Calls `callback` when the event loop has read everything that has arrived by now. After a busy turn, timers run
 * before reads: data that a timer misses may have arrived.
 */
export function afterPendingReads(callback: () => void): void {
  setImmediate(() => setImmediate(callback))
}
