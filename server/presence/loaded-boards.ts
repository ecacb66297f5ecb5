import { findUsersById } from '../people/users/queries.ts'
import type { Storage } from '../platform/storage/storage.ts'
import { toPresencePerson } from './person.ts'
import { findCeiling, findPresencePeople, findStoredEntries } from './queries.ts'
import { makeRealmBoard, type RealmBoard } from './realm-board.ts'

/** The boards that were asked for so far, each loaded once. */
export type LoadedBoards = {
  /** The organization's board, its people as the last commit left their accounts: without a query while they stay. */
  forRealm(realmId: number): Promise<RealmBoard>
  all(): RealmBoard[]
  /** The board lacks what lies in the database: it is read before the board is given out again. */
  markStale(realmId: number): void
  /** Forgets all of them, those that are being loaded included. */
  clear(): Promise<void>
}

/** A board, and the number of commits to accounts that its people are known up to. */
type LoadedBoard = {
  readonly board: RealmBoard
  peopleAsOf: number
  meeting: Promise<void> | null
  /** Whether others may have written presences that are not on it. */
  hasNews: boolean
  reading: Promise<void> | null
}

export function openLoadedBoards(
  storage: Pick<Storage, 'db' | 'isShared' | 'onCommit' | 'onOutsideCommit' | 'onNodeNotification'>,
): LoadedBoards {
  const { db, isShared } = storage
  const loadedBoards = new Map<number, LoadedBoard>()
  const loads = new Map<number, Promise<LoadedBoard>>()
  let accountCommits = 0
  storage.onCommit(({ written }) => {
    if (written.has('users')) accountCommits += 1
  })
  storage.onOutsideCommit(() => {
    accountCommits += 1
    for (const realmId of loadedBoards.keys()) noteNews(realmId)
  })
  storage.onNodeNotification('presences', (ids) => {
    for (const id of ids) noteNews(Number(id))
  })

  function noteNews(realmId: number): void {
    const known = loadedBoards.get(realmId)
    if (known !== undefined && isShared) known.hasNews = true
  }

  async function refresh(known: LoadedBoard): Promise<void> {
    const { board } = known
    try {
      while (known.hasNews) {
        known.hasNews = false
        for (const stored of await findStoredEntries(db, board.realmId, board.lastId)) board.addStored(stored)
      }
    } catch (error) {
      known.hasNews = true
      throw error
    } finally {
      known.reading = null
    }
  }

  async function load(realmId: number): Promise<LoadedBoard> {
    try {
      const peopleAsOf = accountCommits
      const stored = await findStoredEntries(db, realmId)
      const lastStored = stored.at(-1)?.updateId ?? 0
      // Where others take ids as well, those above the last that was read are of entries yet to be read.
      const lastId = isShared ? lastStored : Math.max(await findCeiling(db, realmId), lastStored)
      const board = makeRealmBoard(realmId, stored, lastId)
      const loaded = { board, peopleAsOf, meeting: null, hasNews: isShared, reading: null }
      loadedBoards.set(realmId, loaded)
      return loaded
    } finally {
      loads.delete(realmId)
    }
  }

  function loadOnce(realmId: number): Promise<LoadedBoard> {
    const loading = loads.get(realmId) ?? load(realmId)
    loads.set(realmId, loading)
    return loading
  }

  async function updatePeople(known: LoadedBoard): Promise<void> {
    const { board } = known
    try {
      const asOf = accountCommits
      const newcomers = [...board.newUserIds]
      const isCurrent = known.peopleAsOf === asOf
      const people = isCurrent
        ? (await findUsersById(db, newcomers)).map(toPresencePerson)
        : await findPresencePeople(db, board.realmId)
      for (const person of people) board.updatePerson(person)
      for (const id of newcomers) board.newUserIds.delete(id)
      known.peopleAsOf = asOf
    } finally {
      known.meeting = null
    }
  }

  return {
    async forRealm(realmId) {
      if (!db.commitCounters.isComplete) {
        accountCommits += 1
        noteNews(realmId)
      }
      const wanted = accountCommits
      const known = loadedBoards.get(realmId) ?? (await loadOnce(realmId))
      if (known.hasNews || known.reading !== null) {
        known.reading ??= refresh(known)
        await known.reading
      }
      const isBehind = () => known.peopleAsOf < wanted || known.board.newUserIds.size > 0
      // The first round may have begun before this call; the second knows all that it is to know.
      for (let round = 1; round <= 2 && isBehind(); round++) {
        known.meeting ??= updatePeople(known)
        await known.meeting
      }
      return known.board
    },
    markStale: noteNews,
    all: () => Array.from(loadedBoards.values(), ({ board }) => board),
    async clear() {
      await Promise.allSettled(loads.values())
      loadedBoards.clear()
    },
  }
}
