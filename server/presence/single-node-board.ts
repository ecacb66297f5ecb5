import { findUser } from '#people/users/queries.ts'
import type { BoardOptions, PresenceBoard } from './board.ts'
import { makeEntry, type PresenceEntry, toPresenceRow } from './entry.ts'
import { openIdReserve } from './id-reserve.ts'
import { openLoadedBoards } from './loaded-boards.ts'
import type { PresencePerson } from './person.ts'
import { correctTimes, MAX_AHEAD, type PresenceTimes } from './presence.ts'
import { savePresences } from './queries.ts'
import type { RealmBoard } from './realm-board.ts'
import { type BoardEntry, openWriteBehind } from './write-behind.ts'

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
    async saveEntry(tx, board, entry) {
      const user = await findUser(tx.db, entry.person.id)
      if (user === null || !user.settings.presence_enabled) return false
      await savePresences(tx, [toPresenceRow(board.realmId, entry)])
      return true
    },
    findTimes: async (_tx, board, userId) => board.find(userId),
    async saveTimes(tx, { realmId, takeId }, userId, times) {
      const updateId = takeId()
      if (updateId !== null) await savePresences(tx, [{ userId, realmId, ...times, updateId }])
      return updateId
    },
    reserveIds: idReserve.raise,
    markWritten: (board, entry) => writeBehind.markWritten(board, entry),
    recordInput: (userId, now) => writeBehind.recordInput(userId, now),
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
