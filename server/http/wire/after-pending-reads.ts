/**
 * Goes on when the event loop has read what has arrived by now. A loop that was busy comes to its timers first: what a
 * timer finds missing may be there and not be read yet.
 */
export function afterPendingReads(go: () => void): void {
  setImmediate(() => setImmediate(go))
}
