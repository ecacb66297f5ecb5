import type { DatabaseSync } from 'node:sqlite'

/** Lets the reads of one turn of the event loop share a snapshot: taking one costs as much as a small read. */
export type SharedSnapshot = {
  /** Makes reads see the commits up to now, and no later ones, until the turn ends or `release` is called. */
  hold(): void
  /** Like `hold`, but the current or a new snapshot lasts until `release`, even beyond the turn. */
  pin(): void
  /** True if the snapshot outlasts the turn. */
  readonly isPinned: boolean
  /** Lets the next read see all commits. */
  release(): void
}

/** `database` is a read-only connection. */
export function sharedSnapshot(database: DatabaseSync): SharedSnapshot {
  const begin = database.prepare('begin')
  const end = database.prepare('commit')
  /** A transaction takes its snapshot at its first read. */
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
