import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { Storage, Transaction } from '#storage/storage.ts'
import { type ActivityInterval, activityIntervalAt, saveActivity } from './activity-queries.ts'
import type { RealmBoard } from './board.ts'
import type { PresenceEntry } from './presence.ts'

// Writes the changes of all boards in one transaction per second, so that a report costs no transaction of its own.
// After a failure the changes are written with the next ones.

/** The maximum number of seconds until a report that raised no event is durable. */
const DELAY = 1

/** Writes the changes of all boards in one transaction per second. */
type WriteBehind = {
  /** Schedules a write of the user's entry within a second. It writes the entry as it is then, not as it is now. */
  add(board: RealmBoard, userId: number): void
  /** Records that the user was active in a client. */
  recordInput(userId: number, now: number): void
  /** Records that the entry is durable. */
  markWritten(board: RealmBoard, entry: PresenceEntry): void
  /**
   * Writes everything that is not yet written, in one transaction with the writes of `work`. Rejects if the transaction
   * fails.
   */
  flush(work?: (tx: Transaction) => Promise<void>): Promise<void>
  /** Discards everything that is not written, and resolves when no write is running. */
  discard(): Promise<void>
}

export type BoardEntry = { readonly board: RealmBoard; readonly entry: PresenceEntry }

type Options = {
  storage: Pick<Storage, 'transaction' | 'isWritable'>
  clock: Clock
  log: Log
  /** Returns the entry to write for the user; null if there is none. */
  find: (board: RealmBoard, userId: number) => PresenceEntry | null
  save: (tx: Transaction, entries: readonly BoardEntry[]) => Promise<void>
  /** Called with the entries that have been written. */
  onWritten: (entries: readonly BoardEntry[]) => void
}

export const openWriteBehind = (options: Options): WriteBehind => new PresenceWriter(options)

class PresenceWriter implements WriteBehind {
  readonly #options: Options
  readonly #unwritten = new Map<RealmBoard, Set<number>>()
  readonly #intervals = new Map<number, ActivityInterval>()
  #cancelTimer: (() => void) | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(options: Options) {
    this.#options = options
  }

  add(board: RealmBoard, userId: number): void {
    const ids = this.#unwritten.get(board)
    if (ids === undefined) this.#unwritten.set(board, new Set([userId]))
    else ids.add(userId)
    this.#startTimer()
  }

  recordInput(userId: number, now: number): void {
    this.#addInterval(activityIntervalAt(userId, now))
  }

  markWritten(board: RealmBoard, entry: PresenceEntry): void {
    const { id } = entry.person
    if (this.#options.find(board, id)?.updateId === entry.updateId) this.#unwritten.get(board)?.delete(id)
  }

  async flush(work?: (tx: Transaction) => Promise<void>): Promise<void> {
    this.#stopTimer()
    await this.#writing
    await this.#write(work)
  }

  async discard(): Promise<void> {
    this.#stopTimer()
    this.#unwritten.clear()
    this.#intervals.clear()
    await this.#writing
  }

  #startTimer(): void {
    const { clock } = this.#options
    this.#cancelTimer ??= clock.schedule(clock.now() + DELAY, () => this.#writeNext())
  }

  #stopTimer(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = null
  }

  #writeNext(): Promise<void> {
    const { storage, log } = this.#options
    this.#cancelTimer = null
    this.#writing = this.#writing
      .then(() => this.#write())
      .catch((error) => {
        if (storage.isWritable()) log.error({ err: error }, 'Failed to write presences; trying again')
      })
    return this.#writing
  }

  async #write(work?: (tx: Transaction) => Promise<void>): Promise<void> {
    const { storage, save, onWritten } = this.#options
    const entries = this.#takeUnwritten()
    const intervals = [...this.#intervals.values()]
    this.#intervals.clear()
    if (entries.length + intervals.length === 0 && work === undefined) return
    try {
      await storage.transaction(async (tx) => {
        await save(tx, entries)
        await saveActivity(tx, intervals)
        await work?.(tx)
      })
      onWritten(entries)
    } catch (error) {
      for (const { board, entry } of entries) this.add(board, entry.person.id)
      for (const interval of intervals) this.#addInterval(interval)
      throw error
    }
  }

  #takeUnwritten(): BoardEntry[] {
    const entries = Array.from(this.#unwritten, ([board, userIds]) =>
      [...userIds].flatMap((userId) => {
        const entry = this.#options.find(board, userId)
        return entry === null ? [] : { board, entry }
      }),
    ).flat()
    this.#unwritten.clear()
    return entries
  }

  #addInterval(interval: ActivityInterval): void {
    const known = this.#intervals.get(interval.userId)
    const startedAt = Math.min(interval.startedAt, known?.startedAt ?? interval.startedAt)
    const endedAt = Math.max(interval.endedAt, known?.endedAt ?? interval.endedAt)
    this.#intervals.set(interval.userId, { userId: interval.userId, startedAt, endedAt })
    this.#startTimer()
  }
}
