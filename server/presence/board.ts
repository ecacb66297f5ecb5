import type { Clock } from '#lib/runtime/clock.ts'
import type { Log } from '#lib/runtime/log.ts'
import type { Storage, Transaction } from '#storage/storage.ts'
import type { PresenceEntry } from './entry.ts'
import type { PresencePerson } from './person.ts'
import type { PresenceTimes } from './presence.ts'
import type { RealmBoard } from './realm-board.ts'

/** The presences of all organizations, in memory. Each organization is loaded when it is first used. */
export type PresenceBoard = {
  /**
   * Returns the organization's board, with the accounts as of the last commit. Costs no query while the accounts do not
   * change. Times ahead of the clock are first replaced by the current time, each under a new update id.
   */
  forRealm(realmId: number): Promise<RealmBoard>
  /**
   * Puts new times of a user on the board and writes them within a second. If no update id is left, it does nothing and
   * returns null. The caller then awaits `reserveIds` and applies the report again, because other reports may have
   * arrived meanwhile.
   */
  record(board: RealmBoard, person: PresencePerson, times: PresenceTimes): PresenceEntry | null
  /**
   * Updates the board after a transaction has committed new times of the user. `updateId` is the id that the
   * transaction took, or null if none was left. `change` is applied to the times that are then on the board.
   */
  recordCommitted(
    board: RealmBoard,
    person: PresencePerson,
    updateId: number | null,
    change: (before: PresenceTimes | null) => PresenceTimes | null,
  ): void
  /** Returns the user's latest reported entry, which may not be on the board yet. */
  findLatest(board: RealmBoard, userId: number): PresenceEntry | null
  /**
   * Writes a recorded entry in the caller's transaction; call `markWritten` afterwards. Returns false, and writes
   * nothing, if the user has stopped sharing their presence meanwhile.
   */
  saveEntry(tx: Transaction, board: RealmBoard, entry: PresenceEntry): Promise<boolean>
  /**
   * Returns the user's latest reported times. With several nodes, no other node can write times of the user until the
   * transaction ends.
   */
  findTimes(tx: Transaction, board: RealmBoard, userId: number): Promise<PresenceTimes | null>
  /**
   * Replaces the stored times and returns the new update id. Returns null, and writes nothing, if no update id is left.
   */
  saveTimes(tx: Transaction, board: RealmBoard, userId: number, times: PresenceTimes): Promise<number | null>
  /** Resolves when more update ids are available. */
  reserveIds(board: RealmBoard): Promise<void>
  /** Records that the entry is durable, so that it is not written again. */
  markWritten(board: RealmBoard, entry: PresenceEntry): void
  /** Records that the user was active in a client, for statistics. */
  recordInput(userId: number, now: number): void
  /** Writes everything that is not written yet. */
  close(): Promise<void>
  /** Discards everything, written or not, because all rows are about to be deleted. */
  reset(): Promise<void>
}

export type BoardOptions = {
  storage: Pick<
    Storage,
    'db' | 'transaction' | 'isShared' | 'isWritable' | 'onCommit' | 'onOutsideCommit' | 'onNodeNotification'
  >
  clock: Clock
  log: Log
}

declare module '#http/endpoint.ts' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it extends the interface of that file
  interface Services {
    presence: PresenceBoard
  }
}
