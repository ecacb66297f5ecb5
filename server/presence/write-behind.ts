import type { Clock } from '../platform/runtime/clock.ts'
import type { Log } from '../platform/runtime/log.ts'
import type { Storage, Transaction } from '../platform/storage/storage.ts'
import { type ActivityInterval, activityIntervalAt, saveActivity } from './activity.ts'
import type { PresenceEntry } from './entry.ts'
import type { RealmBoard } from './realm-board.ts'

/** Seconds after which a report that raised no event is durable at the latest. */
const DELAY = 1

/** Writes what changed on the boards, all of a second in one transaction. */
export type WriteBehind = {
  /** Has the person's entry, as it is then, written within a second. */
  add(board: RealmBoard, userId: number): void
  /** Has it noted that somebody used a client of theirs. */
  recordInput(userId: number, now: number): void
  /** Notes that the entry is durable. */
  markWritten(board: RealmBoard, entry: PresenceEntry): void
  /** Writes what is not written yet, with what `work` writes; throws where that fails. */
  flush(work?: (tx: Transaction) => Promise<void>): Promise<void>
  /** Forgets what is not written, and resolves when nothing is being written. */
  discard(): Promise<void>
}

/** Somebody's entry, and the board that it is of. */
export type BoardEntry = { readonly board: RealmBoard; readonly entry: PresenceEntry }

type Options = {
  storage: Pick<Storage, 'transaction' | 'isWritable'>
  clock: Clock
  log: Log
  /** Somebody's entry as it is to be written. */
  find: (board: RealmBoard, userId: number) => PresenceEntry | null
  save: (tx: Transaction, entries: readonly BoardEntry[]) => Promise<void>
  /** Told of entries that are durable. */
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
        if (storage.isWritable()) log.error({ err: error }, 'Presences are not written yet')
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
