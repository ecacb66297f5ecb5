/** What rounds have begun and is not done yet, by its key. */
export type RunningJobs<Key> = {
  readonly size: number
  has(key: Key): boolean
  /** Keeps what was begun, which never rejects, until it has ended; a round begins then. */
  add(key: Key, errand: Promise<void>): void
  /** Resolves when none is under way, and a round that began after this call has found nothing to begin. */
  settled(): Promise<void>
}

/** `round` begins what is due, by `add`, as `Rounds` do. */
export function openRunningJobs<Key>(round: () => Promise<void>): RunningJobs<Key> {
  const underWay = new Map<Key, Promise<void>>()
  let begun = 0

  return {
    get size() {
      return underWay.size
    },
    has: (key) => underWay.has(key),
    add(key, errand) {
      begun += 1
      underWay.set(key, errand)
      void errand.then(() => {
        underWay.delete(key)
        return round()
      })
    },
    async settled() {
      // That no round is under way says nothing: of two who wait, each would begin one for the other.
      for (let isSettled = false; !isSettled; ) {
        const [wasEmpty, begunBefore] = [underWay.size === 0, begun]
        await Promise.all([round(), ...underWay.values()])
        isSettled = wasEmpty && begun === begunBefore
      }
    },
  }
}
