/**
 * Returns a function that reads a value which is current at the time of the call. Calls that wait for an earlier
 * reading share the next one.
 */
export function sharedReading<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<Value> | null = null
  return () => {
    next ??= last.then(() => {
      next = null
      const reading = read()
      last = reading.catch(() => undefined)
      return reading
    })
    return next
  }
}
