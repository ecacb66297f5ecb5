/** Lets one in at a time, in the order in which they asked. */
export type Mutex = {
  /** Resolves with what lets the next one in. */
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
