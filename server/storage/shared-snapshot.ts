import type { DatabaseSync } from 'node:sqlite'

/** Lets the reads of one turn of the event loop share a snapshot: taking one costs as much as a small read. */
export type SharedSnapshot = {
  /** What is read from now until the turn ends, or until `release`, sees the commits up to now. */
  hold(): void
  /** The next read sees all commits. */
  release(): void
}

/** `database` is a connection that only reads. */
export function sharedSnapshot(database: DatabaseSync): SharedSnapshot {
  const begin = database.prepare('begin')
  const end = database.prepare('commit')
  let isHeld = false

  function release(): void {
    if (!isHeld) return
    isHeld = false
    end.run()
  }

  return {
    hold() {
      if (isHeld) return
      begin.run()
      isHeld = true
      setImmediate(release)
    },
    release,
  }
}
