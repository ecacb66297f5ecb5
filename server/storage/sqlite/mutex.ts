/** A mutex that is granted in the order of the requests. */
type Mutex = {
  /** Resolves with a function that releases the mutex. */
  acquire(): Promise<() => void>
}

export function openMutex(): Mutex {
  let last: Promise<void> = Promise.resolve()
  return {
    async acquire() {
      const before = last
      const { promise, resolve } = Promise.withResolvers<void>()
      last = promise
      await before
      return resolve
    },
  }
}
