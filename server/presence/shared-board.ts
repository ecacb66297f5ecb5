import type { BoardOptions, PresenceBoard } from './board.ts'
import { type Entry, makeEntry } from './entry.ts'
import { openLoadedBoards } from './loaded-boards.ts'
import { latestTimes, MAX_AHEAD } from './presence.ts'
import { findStoredTimes, holdUpdateIds, savePresences, takeUpdateIds } from './queries.ts'
import type { RealmBoard } from './realm-board.ts'
import { saveCorrectedTimes } from './save-corrected-times.ts'
import { saveReports } from './save-reports.ts'
import { openWriteBehind } from './write-behind.ts'

/**
 * Of a node beside others. Update ids are taken by the transaction that writes, so they follow the order of commits, and
 * the board has what was committed and nothing else: whatever node a client asks, all below the id that it has is known to
 * it. What was reported waits for at most a second.
 */
export function openSharedBoard({ storage, clock, log }: BoardOptions): PresenceBoard {
  const boards = openLoadedBoards(storage)
  /** What was reported here and is not written yet, by board and user. */
  const reported = new Map<RealmBoard, Map<number, Entry>>()
  /** Below all update ids, and never the same: it tells one report from the next. */
  let reportId = 0

  const writeBehind = openWriteBehind({
    storage,
    clock,
    log,
    find: latest,
    async save(tx, entries) {
      await saveReports(tx, entries)
    },
    onWritten(entries) {
      for (const { board, entry } of entries) settle(board, entry)
    },
  })

  function latest(board: RealmBoard, userId: number): Entry | null {
    return reported.get(board)?.get(userId) ?? board.find(userId)
  }

  /** The entry lies in the database, from which the board reads it. */
  function settle(board: RealmBoard, entry: Entry): void {
    const ofBoard = reported.get(board)
    if (ofBoard?.get(entry.person.id) === entry) ofBoard.delete(entry.person.id)
    boards.noteNews(board.realmId)
  }

  return {
    async of(realmId) {
      const board = await boards.of(realmId)
      if (board.findAfter(clock.now() + MAX_AHEAD).length === 0) return board
      await storage.transaction((tx) => saveCorrectedTimes(tx, realmId))
      boards.noteNews(realmId)
      return boards.of(realmId)
    },
    latest,
    record(board, person, times) {
      reportId -= 1
      const entry = makeEntry(person, times, reportId)
      const ofBoard = reported.get(board) ?? new Map<number, Entry>()
      reported.set(board, ofBoard.set(person.id, entry))
      writeBehind.add(board, person.id)
      return entry
    },
    save: (tx, board, entry) => saveReports(tx, [{ board, entry }]),
    async findTimes(tx, board, userId) {
      await holdUpdateIds(tx, [board.realmId])
      return latestTimes(await findStoredTimes(tx.db, userId), reported.get(board)?.get(userId) ?? null)
    },
    async saveTimes(tx, { realmId }, userId, times) {
      const updateId = (await takeUpdateIds(tx, [[realmId, 1]])).get(realmId) as number
      await savePresences(tx, [{ userId, realmId, ...times, updateId }])
      tx.notifyNodes('presences', [realmId])
      return updateId
    },
    recordCommitted(board, person) {
      const overtaken = reported.get(board)?.get(person.id)
      if (overtaken !== undefined) {
        writeBehind.noteWritten(board, overtaken)
        settle(board, overtaken)
      }
      boards.noteNews(board.realmId)
    },
    // They are taken when they are written.
    reserveIds: async () => {},
    noteWritten(board, entry) {
      writeBehind.noteWritten(board, entry)
      settle(board, entry)
    },
    noteInput: writeBehind.addInput,
    close: () => writeBehind.finish(),
    async reset() {
      await writeBehind.forget()
      reported.clear()
      await boards.clear()
    },
  }
}
