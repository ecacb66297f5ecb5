import type { Log } from '#lib/log.ts'
import { findUser } from '#people/user-queries.ts'
import type { RunTransaction, Transaction } from '#storage/storage.ts'
import type { BoardOptions, PresenceBoard, RealmBoard } from './board.ts'
import { openLoadedBoards } from './loaded-boards.ts'
import {
  correctTimes,
  MAX_AHEAD,
  makeEntry,
  type PresenceEntry,
  type PresencePerson,
  type PresenceTimes,
  toPresenceRow,
} from './presence.ts'
import { findCeiling, lowerCeiling, saveCeiling, savePresences } from './queries.ts'
import { type BoardEntry, openWriteBehind } from './write-behind.ts'

// The board of a process that uses the database alone. Update ids are reserved in the database before they are used,
// so that a crash skips ids but never repeats one.

/** The number of update ids that are reserved at a time. A crash skips at most this many. */
const RESERVE_SIZE = 1000

/** Commits a ceiling for update ids before any id below it is used, so that a restarted server never reuses an id. */
type IdReserve = {
  /** Reserves more ids for the board. Resolves when its ceiling has been raised. */
  raise(board: RealmBoard): Promise<void>
  /** Starts to raise the ceiling before all ids below it are used. */
  topUp(board: RealmBoard): void
  /** Resolves when no ids are being reserved. */
  whenIdle(): Promise<void>
  /** Lowers each ceiling to the last id that was used, so that ids continue without a gap after a restart. */
  returnUnused(tx: Transaction, boards: readonly RealmBoard[]): Promise<void>
}

function openIdReserve({ transaction, log }: { transaction: RunTransaction; log: Log }): IdReserve {
  const pendingRaises = new Map<RealmBoard, Promise<void>>()

  async function reserve(board: RealmBoard): Promise<void> {
    try {
      const { found, newCeiling } = await transaction(async (tx) => {
        const found = await findCeiling(tx.db, board.realmId)
        const newCeiling = Math.max(found, board.ceiling) + RESERVE_SIZE
        await saveCeiling(tx, board.realmId, newCeiling)
        return { found, newCeiling }
      })
      board.raiseCeiling(found, newCeiling)
    } finally {
      pendingRaises.delete(board)
    }
  }

  function raise(board: RealmBoard): Promise<void> {
    const running = pendingRaises.get(board) ?? reserve(board)
    pendingRaises.set(board, running)
    return running
  }

  return {
    raise,
    topUp(board) {
      if (board.ceiling - board.lastId > RESERVE_SIZE / 2 || pendingRaises.has(board)) return
      raise(board).catch((error) => log.error({ err: error }, 'Failed to reserve presence update ids'))
    },
    async whenIdle() {
      await Promise.allSettled(pendingRaises.values())
    },
    async returnUnused(tx, boards) {
      for (const board of boards) {
        const { realmId, ceiling, lastId } = board
        board.releaseReserve()
        if (lastId < ceiling) await lowerCeiling(tx, realmId, ceiling, lastId)
      }
    },
  }
}

const toRow = ({ board, entry }: BoardEntry) => toPresenceRow(board.realmId, entry)

/**
 * Opens the board of a process that uses the database alone. Reports are on the board immediately, and are written
 * later.
 */
export function openSingleNodeBoard({ storage, clock, log }: BoardOptions): PresenceBoard {
  const { transaction } = storage
  const writeBehind = openWriteBehind({
    ...{ storage, clock, log },
    find: (board, userId) => board.find(userId),
    save: (tx, entries) => savePresences(tx, entries.map(toRow)),
    onWritten: () => {},
  })
  const idReserve = openIdReserve({ transaction, log })
  const boards = openLoadedBoards(storage)

  function put(board: RealmBoard, person: PresencePerson, times: PresenceTimes, updateId: number): PresenceEntry {
    const entry = makeEntry(person, times, updateId)
    board.put(entry)
    writeBehind.add(board, person.id)
    idReserve.topUp(board)
    return entry
  }

  async function correct(board: RealmBoard): Promise<void> {
    for (;;) {
      const now = clock.now()
      const ahead = board.findAfter(now + MAX_AHEAD)
      if (ahead.every((entry) => presence.record(board, entry.person, correctTimes(entry, now)) !== null)) return
      await idReserve.raise(board)
    }
  }

  const presence: PresenceBoard = {
    async forRealm(realmId) {
      const board = await boards.forRealm(realmId)
      await correct(board)
      return board
    },
    record(board, person, times) {
      const updateId = board.takeId()
      return updateId === null ? null : put(board, person, times, updateId)
    },
    recordCommitted(board, person, updateId, change) {
      const times = change(board.find(person.id))
      if (times === null) return
      // If another id has been used since, clients that have received that id would never request an entry with this
      // one.
      if (updateId !== null && updateId === board.lastId) put(board, person, times, updateId)
      else if (presence.record(board, person, times) === null) {
        idReserve
          .raise(board)
          .then(() => presence.recordCommitted(board, person, null, change))
          .catch((error) => log.error({ err: error }, 'Failed to record a presence'))
      }
    },
    findLatest: (board, userId) => board.find(userId),
    async confirm(_transaction, _board, entry) {
      // Notifications depend on whether the user is away, and read that from the database. A failed write is repeated.
      await writeBehind.flush().catch(() => undefined)
      return (await findUser(storage.db, entry.person.id))?.settings.presence_enabled ?? false
    },
    findTimes: async (_tx, board, userId) => board.find(userId),
    async saveTimes(tx, { realmId, takeId }, userId, times) {
      const updateId = takeId()
      if (updateId !== null) await savePresences(tx, [{ userId, realmId, ...times, updateId }])
      return updateId
    },
    reserveIds: idReserve.raise,
    recordInput: (userId, now) => writeBehind.recordInput(userId, now),
    count: () => boards.all().reduce((count, board) => count + board.size, 0),
    async close() {
      await idReserve.whenIdle()
      await writeBehind.flush((tx) => idReserve.returnUnused(tx, boards.all()))
    },
    async reset() {
      await idReserve.whenIdle()
      await writeBehind.discard()
      await boards.clear()
    },
  }
  return presence
}
