import type { Clock } from '../platform/runtime/clock.ts'
import type { Log } from '../platform/runtime/log.ts'
import type { Storage, Transaction } from '../platform/storage/storage.ts'
import { type ActivityInterval, activityIntervalAt, saveActivity } from './activity.ts'
import type { PresenceEntry } from './entry.ts'
import type { RealmBoard } from './realm-board.ts'

/** Seconds after which a report that raised no event is durable at the latest. */
const DELAY = 1

/** Writes the changes of all boards in one transaction per second. */
export type WriteBehind = {
  /** Writes the user's entry, as it is at that time, within a second. */
  add(board: RealmBoard, userId: number): void
  /** Records that the user was active in a client. */
  recordInput(userId: number, now: number): void
  /** Records that the entry is durable. */
  markWritten(board: RealmBoard, entry: PresenceEntry): void
  /** Writes everything that is not written yet, together with the writes of `work`. Rejects if that fails. */
  flush(work?: (tx: Transaction) => Promise<void>): Promise<void>
  /** Discards everything that is not written, and resolves when no write is running. */
  discard(): Promise<void>
}

/** A user's entry and its board. */
export type BoardEntry = { readonly board: RealmBoard; readonly entry: PresenceEntry }

type Options = {
  storage: Pick<Storage, 'transaction' | 'isWritable'>
  clock: Clock
  log: Log
  /** Returns the user's entry as it is to be written. */
  find: (board: RealmBoard, userId: number) => PresenceEntry | null
  save: (tx: Transaction, entries: readonly BoardEntry[]) => Promise<void>
  /** Called with the entries that have been written. */
  onWritten: (entries: readonly BoardEntry[]) => void
}

export function openWriteBehind({ storage, clock, log, find, save, onWritten }: Options): WriteBehind {
  const unwritten = new Map<RealmBoard, Set<number>>()
  const inputs = new Map<number, ActivityInterval>()
  let cancelTimer: (() => void) | null = null
  let writing: Promise<void> = Promise.resolve()

  function startTimer(): void {
    cancelTimer ??= clock.schedule(clock.now() + DELAY, writeNext)
  }

  function stopTimer(): void {
    cancelTimer?.()
    cancelTimer = null
  }

  function writeNext(): Promise<void> {
    cancelTimer = null
    writing = writing
      .then(() => write())
      .catch((error) => {
        if (storage.isWritable()) log.error({ err: error }, 'Failed to write presences; trying again')
      })
    return writing
  }

  async function write(work?: (tx: Transaction) => Promise<void>): Promise<void> {
    const entries = takeUnwritten()
    const intervals = [...inputs.values()]
    inputs.clear()
    if (entries.length + intervals.length === 0 && work === undefined) return
    try {
      await storage.transaction(async (tx) => {
        await save(tx, entries)
        await saveActivity(tx, intervals)
        await work?.(tx)
      })
      onWritten(entries)
    } catch (error) {
      for (const { board, entry } of entries) add(board, entry.person.id)
      for (const interval of intervals) addInterval(interval)
      throw error
    }
  }

  function takeUnwritten(): BoardEntry[] {
    const entries = Array.from(unwritten, ([board, userIds]) =>
      [...userIds].flatMap((userId) => {
        const entry = find(board, userId)
        return entry === null ? [] : { board, entry }
      }),
    ).flat()
    unwritten.clear()
    return entries
  }

  function add(board: RealmBoard, userId: number): void {
    const ids = unwritten.get(board)
    if (ids === undefined) unwritten.set(board, new Set([userId]))
    else ids.add(userId)
    startTimer()
  }

  function addInterval(interval: ActivityInterval): void {
    const known = inputs.get(interval.userId)
    const startedAt = Math.min(interval.startedAt, known?.startedAt ?? interval.startedAt)
    const endedAt = Math.max(interval.endedAt, known?.endedAt ?? interval.endedAt)
    inputs.set(interval.userId, { userId: interval.userId, startedAt, endedAt })
    startTimer()
  }

  return {
    add,
    recordInput: (userId, now) => addInterval(activityIntervalAt(userId, now)),
    markWritten(board, entry) {
      if (find(board, entry.person.id)?.updateId === entry.updateId) unwritten.get(board)?.delete(entry.person.id)
    },
    async flush(work) {
      stopTimer()
      await writing
      await write(work)
    },
    async discard() {
      stopTimer()
      unwritten.clear()
      inputs.clear()
      await writing
    },
  }
}
