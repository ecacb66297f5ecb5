import type { DatabaseSync } from 'node:sqlite'

/** Lets the reads of one turn of the event loop share a snapshot: taking one costs as much as a small read. */
export type SharedSnapshot = {
  /** What is read from now until the turn ends, or until `release`, sees the commits up to now. */
  hold(): void
  /** The same beyond the turn: until `release`, of a snapshot that is held already or of one taken now. */
  pin(): void
  /** Whether it outlasts the turn. */
  readonly isPinned: boolean
  /** The next read sees all commits. */
  release(): void
}

/** `database` is a connection that only reads. */
export function sharedSnapshot(database: DatabaseSync): SharedSnapshot {
  const begin = database.prepare('begin')
  const end = database.prepare('commit')
  /** A transaction has its snapshot by its first read. */
  const touch = database.prepare('select 1 from "sqlite_schema" limit 1')
  let isHeld = false
  let isKept = false

  function release(): void {
    isKept = false
    if (!isHeld) return
    isHeld = false
    end.run()
  }

  function hold(): void {
    if (isHeld) return
    begin.run()
    isHeld = true
  }

  return {
    hold() {
      if (isHeld) return
      hold()
      setImmediate(() => isKept || release())
    },
    pin() {
      hold()
      touch.get()
      isKept = true
    },
    get isPinned() {
      return isKept
    },
    release,
  }
}
