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
 * Opens the board of one of several nodes. The transaction that writes an entry takes its update id. Ids therefore
 * follow the order of commits, and the board has only committed entries. A client can send any node an id that it
 * received from another node, and misses nothing. Reports are written within a second.
 */
export function openSharedBoard({ storage, clock, log }: BoardOptions): PresenceBoard {
  const boards = openLoadedBoards(storage)
  /** The reports that this node received and has not written yet, by board and user. */
  const reported = new Map<RealmBoard, Map<number, PresenceEntry>>()
  /** Identifies a report until it is written. It is negative, and so below all update ids. */
  let reportId = 0

  const writeBehind = openWriteBehind({
    ...{ storage, clock, log },
    find: findLatest,
    async save(tx, entries) {
      await saveReports(tx, entries)
    },
    onWritten(entries) {
      for (const { board, entry } of entries) discardReport(board, entry)
    },
  })

  function findLatest(board: RealmBoard, userId: number): PresenceEntry | null {
    return reported.get(board)?.get(userId) ?? board.find(userId)
  }

  /** Removes a report that has been written, because the board reads it from the database. */
  function discardReport(board: RealmBoard, entry: PresenceEntry): void {
    const reports = reported.get(board)
    if (reports?.get(entry.person.id) === entry) reports.delete(entry.person.id)
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
    findLatest,
    record(board, person, times) {
      reportId -= 1
      const entry = makeEntry(person, times, reportId)
      const reports = reported.get(board) ?? new Map<number, PresenceEntry>()
      reported.set(board, reports.set(person.id, entry))
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
      const replaced = reported.get(board)?.get(person.id)
      if (replaced !== undefined) {
        writeBehind.markWritten(board, replaced)
        discardReport(board, replaced)
      }
      boards.markStale(board.realmId)
    },
    // Update ids are taken when the entries are written.
    reserveIds: async () => {},
    markWritten(board, entry) {
      writeBehind.markWritten(board, entry)
      discardReport(board, entry)
    },
    recordInput: (userId, now) => writeBehind.recordInput(userId, now),
    close: () => writeBehind.flush(),
    async reset() {
      await writeBehind.discard()
      reported.clear()
      await boards.clear()
    },
  }
}
