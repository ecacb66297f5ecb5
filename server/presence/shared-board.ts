import type { BoardOptions, PresenceBoard } from './board.ts'
import { makeEntry, type PresenceEntry } from './entry.ts'
import { openLoadedBoards } from './loaded-boards.ts'
import { latestTimes, MAX_AHEAD } from './presence.ts'
import { findStoredTimes, lockUpdateIds, savePresences, takeUpdateIds } from './queries.ts'
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
  const reported = new Map<RealmBoard, Map<number, PresenceEntry>>()
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
      for (const { board, entry } of entries) discardReport(board, entry)
    },
  })

  function latest(board: RealmBoard, userId: number): PresenceEntry | null {
    return reported.get(board)?.get(userId) ?? board.find(userId)
  }

  /** The entry lies in the database, from which the board reads it. */
  function discardReport(board: RealmBoard, entry: PresenceEntry): void {
    const ofBoard = reported.get(board)
    if (ofBoard?.get(entry.person.id) === entry) ofBoard.delete(entry.person.id)
    boards.markStale(board.realmId)
  }

  return {
    async forRealm(realmId) {
      const board = await boards.forRealm(realmId)
      if (board.findAfter(clock.now() + MAX_AHEAD).length === 0) return board
      await storage.transaction((tx) => saveCorrectedTimes(tx, realmId))
      boards.markStale(realmId)
      return boards.forRealm(realmId)
    },
    findLatest: latest,
    record(board, person, times) {
      reportId -= 1
      const entry = makeEntry(person, times, reportId)
      const ofBoard = reported.get(board) ?? new Map<number, PresenceEntry>()
      reported.set(board, ofBoard.set(person.id, entry))
      writeBehind.add(board, person.id)
      return entry
    },
    saveEntry: (tx, board, entry) => saveReports(tx, [{ board, entry }]),
    async findTimes(tx, board, userId) {
      await lockUpdateIds(tx, [board.realmId])
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
        writeBehind.markWritten(board, overtaken)
        discardReport(board, overtaken)
      }
      boards.markStale(board.realmId)
    },
    // They are taken when they are written.
    reserveIds: async () => {},
    markWritten(board, entry) {
      writeBehind.markWritten(board, entry)
      discardReport(board, entry)
    },
    recordInput: writeBehind.recordInput,
    close: () => writeBehind.flush(),
    async reset() {
      await writeBehind.discard()
      reported.clear()
      await boards.clear()
    },
  }
}
