import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Storage } from '../storage/storage.ts'
import { type Entry, makeEntry } from './entry.ts'
import { openIdReserve } from './id-reserve.ts'
import { openLoadedBoards } from './loaded-boards.ts'
import type { Person } from './person.ts'
import type { Times } from './presence.ts'
import type { RealmBoard } from './realm-board.ts'
import { openWriteBehind } from './write-behind.ts'

/** The presences of all organizations, in memory from the first time that they are asked for. */
export type PresenceBoard = {
  /** The organization's board, its people as the last commit left their accounts: without a query while they stay. */
  of(realmId: number): Promise<RealmBoard>
  /**
   * Puts new times of somebody on the board, and has them written within a second. Null, with nothing done, when no
   * update id is left: `reserveIds` first, then decide anew, since others may have come before.
   */
  record(board: RealmBoard, person: Person, times: Times): Entry | null
  /**
   * Puts on the board what a transaction has committed as the person's row, under the update id that it took (null when
   * there was none). `change` is applied to the times that stand by then.
   */
  recordCommitted(
    board: RealmBoard,
    person: Person,
    updateId: number | null,
    change: (before: Times | null) => Times | null,
  ): void
  /** Resolves when there are more update ids to give. */
  reserveIds(board: RealmBoard): Promise<void>
  /** Notes that the entry is durable, and need not be written later. */
  noteWritten(board: RealmBoard, entry: Entry): void
  /** Has it noted that somebody used a client of theirs; for statistics. */
  noteInput(userId: number, now: number): void
  /** Writes what is not written yet. */
  close(): Promise<void>
  /** Forgets everything, written or not: all rows are about to be deleted. */
  reset(): Promise<void>
}

type Options = {
  storage: Pick<Storage, 'db' | 'transaction' | 'onCommit' | 'onOutsideCommit'>
  clock: Clock
  log: Log
}

export function openPresenceBoard({ storage, clock, log }: Options): PresenceBoard {
  const { transaction } = storage
  const writeBehind = openWriteBehind({ transaction, clock, log })
  const idReserve = openIdReserve({ transaction, log })
  const boards = openLoadedBoards(storage)

  function put(board: RealmBoard, person: Person, times: Times, updateId: number): Entry {
    const entry = makeEntry(person, times, updateId)
    board.put(entry)
    writeBehind.add(board, person.id)
    idReserve.topUp(board)
    return entry
  }

  const presence: PresenceBoard = {
    of: boards.of,
    record(board, person, times) {
      const updateId = board.takeId()
      return updateId === null ? null : put(board, person, times, updateId)
    },
    recordCommitted(board, person, updateId, change) {
      const times = change(board.find(person.id))
      if (times === null) return
      // Another id given out since would make this one look old to those who have that.
      if (updateId !== null && updateId === board.lastId) put(board, person, times, updateId)
      else if (presence.record(board, person, times) === null) {
        idReserve
          .raise(board)
          .then(() => presence.recordCommitted(board, person, null, change))
          .catch((error) => log.error({ err: error }, 'A presence is not on the board'))
      }
    },
    reserveIds: idReserve.raise,
    noteWritten: writeBehind.noteWritten,
    noteInput: writeBehind.addInput,
    async close() {
      await idReserve.settled()
      await writeBehind.finish((tx) => idReserve.giveBack(tx, boards.all()))
    },
    async reset() {
      await idReserve.settled()
      await writeBehind.forget()
      await boards.clear()
    },
  }
  return presence
}
