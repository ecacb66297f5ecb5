import type { Transaction } from '#storage/storage.ts'
import type { BoardOptions, PresenceBoard, RealmBoard } from './board.ts'
import { openLoadedBoards } from './loaded-boards.ts'
import {
  correctTimes,
  latestTimes,
  MAX_AHEAD,
  makeEntry,
  type PresenceEntry,
  type PresenceRow,
  toPresenceRow,
} from './presence.ts'
import {
  findNotSharingIds,
  findStoredTimes,
  findStoredTimesAfter,
  lockUpdateIds,
  savePresences,
  takeUpdateIds,
} from './queries.ts'
import { openSingleNodeBoard } from './single-node-board.ts'
import { type BoardEntry, openWriteBehind } from './write-behind.ts'

// Opens the boards of a process. A process that uses the database alone writes reports within a second; nodes that
// share a database take update ids from it, so that ids follow the order of commits.

/**
 * Saves the reports that this node received, under new update ids, and notifies the other nodes. Reports of users who
 * no longer share their presence are skipped. Returns whether any were saved. PostgreSQL only.
 */
async function saveReports(tx: Transaction, entries: readonly BoardEntry[]): Promise<boolean> {
  if (entries.length === 0) return false
  const realmIds = new Set(entries.map(({ board }) => board.realmId))
  await lockUpdateIds(tx, [...realmIds])
  // The users are read after locking, because a transaction on another node in which a user stops sharing has by then
  // either committed or waits for the lock.
  const people = entries.map(({ entry }) => entry.person.id)
  const notSharing = await findNotSharingIds(tx.db, people)
  const rows = await withUpdateIds(
    tx,
    entries.filter(({ entry }) => !notSharing.has(entry.person.id)),
  )
  if (rows.length === 0) return false
  await savePresences(tx, rows, { keepsLatest: true })
  tx.notifyNodes('presences', [...new Set(rows.map(({ realmId }) => realmId))])
  return true
}

async function withUpdateIds(tx: Transaction, entries: readonly BoardEntry[]): Promise<PresenceRow[]> {
  const byRealm = Map.groupBy(entries, ({ board }) => board.realmId)
  const counts = Array.from(byRealm, ([realmId, { length }]) => [realmId, length] as const)
  const lastIds = await takeUpdateIds(tx, counts)
  return Array.from(byRealm, ([realmId, realmEntries]) => {
    const lastId = lastIds.get(realmId)
    // An organization that moves to another database gets no ids here.
    if (lastId === undefined) return []
    const before = lastId - realmEntries.length
    return realmEntries.map(({ entry }, at) => ({ ...toPresenceRow(realmId, entry), updateId: before + 1 + at }))
  }).flat()
}

/**
 * Finds the stored times of the organization that are ahead of the clock, replaces them with the current time under new
 * update ids, and notifies the other nodes. PostgreSQL only.
 */
async function saveCorrectedTimes(tx: Transaction, realmId: number): Promise<void> {
  await lockUpdateIds(tx, [realmId])
  const ahead = await findStoredTimesAfter(tx.db, realmId, tx.now + MAX_AHEAD)
  if (ahead.length === 0) return
  const lastId = (await takeUpdateIds(tx, [[realmId, ahead.length]])).get(realmId) as number
  const rows = ahead.map(({ userId, ...times }, at) => ({
    userId,
    realmId,
    ...correctTimes(times, tx.now),
    updateId: lastId - at,
  }))
  await savePresences(tx, rows)
  tx.notifyNodes('presences', [realmId])
}

/**
 * Opens the board of one of several nodes. The transaction that writes an entry takes its update id. Ids therefore
 * follow the order of commits, and the board has only committed entries. A client can send any node an id that it
 * received from another node, and misses nothing. Reports are written within a second.
 */
function openSharedBoard({ storage, clock, log }: BoardOptions): PresenceBoard {
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
    async confirm(transaction, board, entry) {
      const isSaved = await transaction((tx) => saveReports(tx, [{ board, entry }]))
      writeBehind.markWritten(board, entry)
      discardReport(board, entry)
      return isSaved
    },
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
    recordInput: (userId, now) => writeBehind.recordInput(userId, now),
    count: () => boards.all().reduce((count, board) => count + board.size, 0),
    close: () => writeBehind.flush(),
    async reset() {
      await writeBehind.discard()
      reported.clear()
      await boards.clear()
    },
  }
}

export function openPresenceBoard(options: BoardOptions): PresenceBoard {
  return options.storage.isShared ? openSharedBoard(options) : openSingleNodeBoard(options)
}
