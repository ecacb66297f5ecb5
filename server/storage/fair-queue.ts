/** Lets one in at a time, in the order in which they asked. */
export type FairQueue = {
  /** Resolves with what lets the next one in. */
  enter(): Promise<() => void>
  /** How many have asked and are not in yet. */
  readonly waiting: number
}

export function fairQueue(): FairQueue {
  let last: Promise<void> = Promise.resolve()
  let waiting = 0
  return {
    async enter() {
      const before = last
      const { promise, resolve } = Promise.withResolvers<void>()
      last = promise
      waiting += 1
      await before
      waiting -= 1
      return resolve
    },
    get waiting() {
      return waiting
    },
  }
}
