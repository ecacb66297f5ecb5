/** Lets one in at a time, in the order in which they asked. */
export type FairQueue = {
  /** Resolves with what lets the next one in. */
  enter(): Promise<() => void>
}

export function fairQueue(): FairQueue {
  let last: Promise<void> = Promise.resolve()
  return {
    async enter() {
      const before = last
      const { promise, resolve } = Promise.withResolvers<void>()
      last = promise
      await before
      return resolve
    },
  }
}
