import type { Clock } from '../platform/runtime/clock.ts'
import type { Log } from '../platform/runtime/log.ts'
import type { Storage, Transaction } from '../platform/storage/storage.ts'
import type { PresenceEntry } from './entry.ts'
import type { PresencePerson } from './person.ts'
import type { PresenceTimes } from './presence.ts'
import type { RealmBoard } from './realm-board.ts'

/** The presences of all organizations, in memory from the first time that they are asked for. */
export type PresenceBoard = {
  /**
   * The organization's board, its people as the last commit left their accounts: without a query while they stay. Times
   * that are ahead of the clock are replaced by the present time first, each under a new update id.
   */
  forRealm(realmId: number): Promise<RealmBoard>
  /**
   * Puts new times of somebody on the board, and has them written within a second. Null, with nothing done, when no
   * update id is left: `reserveIds` first, then decide anew, since others may have come before.
   */
  record(board: RealmBoard, person: PresencePerson, times: PresenceTimes): PresenceEntry | null
  /**
   * Puts on the board what a transaction has committed as the person's row, under the update id that it took (null when
   * there was none). `change` is applied to the times that stand by then.
   */
  recordCommitted(
    board: RealmBoard,
    person: PresencePerson,
    updateId: number | null,
    change: (before: PresenceTimes | null) => PresenceTimes | null,
  ): void
  /** Somebody's entry with what was reported last, which need not be on the board yet. */
  findLatest(board: RealmBoard, userId: number): PresenceEntry | null
  /**
   * Writes an entry that was recorded, in a transaction of the caller's; then `noteWritten`. False, with nothing written,
   * where the person has stopped to share their presence meanwhile.
   */
  saveEntry(tx: Transaction, board: RealmBoard, entry: PresenceEntry): Promise<boolean>
  /** Somebody's times with what was reported last; among nodes nobody else writes any until the transaction ends. */
  findTimes(tx: Transaction, board: RealmBoard, userId: number): Promise<PresenceTimes | null>
  /** Writes times in place of all earlier ones, under the update id that it returns; null, with nothing written, when none is left. */
  saveTimes(tx: Transaction, board: RealmBoard, userId: number, times: PresenceTimes): Promise<number | null>
  /** Resolves when there are more update ids to give. */
  reserveIds(board: RealmBoard): Promise<void>
  /** Notes that the entry is durable, and need not be written later. */
  markWritten(board: RealmBoard, entry: PresenceEntry): void
  /** Has it noted that somebody used a client of theirs; for statistics. */
  recordInput(userId: number, now: number): void
  /** Writes what is not written yet. */
  close(): Promise<void>
  /** Forgets everything, written or not: all rows are about to be deleted. */
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
