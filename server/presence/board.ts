import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Storage } from '../storage/storage.ts'
import { type Entry, makeEntry } from './entry.ts'
import { openIdReserve } from './id-reserve.ts'
import type { Person } from './person.ts'
import type { Times } from './presence.ts'
import { findCeiling, findPeople, findStoredEntries } from './queries.ts'
import { makeRealmBoard, type RealmBoard } from './realm-board.ts'
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

/** A board, and the number of commits to accounts that its people are known up to. */
type Held = { readonly board: RealmBoard; peopleAsOf: number; meeting: Promise<void> | null }

type Options = {
  storage: Pick<Storage, 'db' | 'transaction' | 'onCommit' | 'onOutsideCommit'>
  clock: Clock
  log: Log
}

export function openPresenceBoard({ storage, clock, log }: Options): PresenceBoard {
  const { db, transaction } = storage
  const writeBehind = openWriteBehind({ transaction, clock, log })
  const idReserve = openIdReserve({ transaction, log })
  const held = new Map<number, Held>()
  const loads = new Map<number, Promise<Held>>()
  let accountCommits = 0
  storage.onCommit(({ written }) => {
    if (written.has('users')) accountCommits += 1
  })
  storage.onOutsideCommit(() => {
    accountCommits += 1
  })

  async function load(realmId: number): Promise<Held> {
    try {
      const peopleAsOf = accountCommits
      const stored = await findStoredEntries(db, realmId)
      const loaded = {
        board: makeRealmBoard(realmId, stored, await findCeiling(db, realmId)),
        peopleAsOf,
        meeting: null,
      }
      held.set(realmId, loaded)
      return loaded
    } finally {
      loads.delete(realmId)
    }
  }

  function loadOnce(realmId: number): Promise<Held> {
    const loading = loads.get(realmId) ?? load(realmId)
    loads.set(realmId, loading)
    return loading
  }

  async function meetPeople(known: Held): Promise<void> {
    try {
      const asOf = accountCommits
      for (const person of await findPeople(db, known.board.realmId)) known.board.meet(person)
      known.peopleAsOf = asOf
    } finally {
      known.meeting = null
    }
  }

  return {
    async of(realmId) {
      const wanted = accountCommits
      const known = held.get(realmId) ?? (await loadOnce(realmId))
      while (known.peopleAsOf < wanted) {
        known.meeting ??= meetPeople(known)
        await known.meeting
      }
      return known.board
    },
    record(board, person, times) {
      const updateId = board.takeId()
      if (updateId === null) return null
      idReserve.topUp(board)
      const entry = makeEntry(person, times, updateId)
      board.put(entry)
      writeBehind.add(board, person.id)
      return entry
    },
    reserveIds: idReserve.raise,
    noteWritten: writeBehind.noteWritten,
    noteInput: writeBehind.addInput,
    async close() {
      await idReserve.settled()
      await writeBehind.finish((tx) =>
        idReserve.giveBack(
          tx,
          Array.from(held.values(), ({ board }) => board),
        ),
      )
    },
    async reset() {
      await Promise.allSettled(loads.values())
      await idReserve.settled()
      await writeBehind.forget()
      held.clear()
    },
  }
}
