/**
 * Calls `callback` when the event loop has read everything that has arrived by now. After a busy turn, timers run
 * before reads, so a timer may miss data that has already arrived.
 */
export function afterPendingReads(callback: () => void): void {
  setImmediate(() => setImmediate(callback))
}
