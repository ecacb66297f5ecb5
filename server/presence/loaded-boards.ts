import { findUsersById } from '../people/users/queries.ts'
import type { Storage } from '../platform/storage/storage.ts'
import { toPresencePerson } from './person.ts'
import { findCeiling, findPresencePeople, findStoredEntries } from './queries.ts'
import { makeRealmBoard, type RealmBoard } from './realm-board.ts'

/** The boards that have been used so far. Each is loaded once. */
export type LoadedBoards = {
  /**
   * Returns the organization's board, with the accounts as of the last commit. Costs no query while the accounts do not
   * change.
   */
  forRealm(realmId: number): Promise<RealmBoard>
  all(): RealmBoard[]
  /** Marks that the database has newer entries: they are read before the board is returned again. */
  markStale(realmId: number): void
  /** Discards all boards, including those that are being loaded. */
  clear(): Promise<void>
}

/** A board, and the number of commits to accounts that its people include. */
type LoadedBoard = {
  readonly board: RealmBoard
  peopleVersion: number
  updatingPeople: Promise<void> | null
  /** True if other nodes may have written presences that are not on the board. */
  isStale: boolean
  refreshing: Promise<void> | null
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
    for (const realmId of loadedBoards.keys()) markStale(realmId)
  })
  storage.onNodeNotification('presences', (ids) => {
    for (const id of ids) markStale(Number(id))
  })

  function markStale(realmId: number): void {
    const loaded = loadedBoards.get(realmId)
    if (loaded !== undefined && isShared) loaded.isStale = true
  }

  async function refresh(loaded: LoadedBoard): Promise<void> {
    const { board } = loaded
    try {
      while (loaded.isStale) {
        loaded.isStale = false
        for (const stored of await findStoredEntries(db, board.realmId, board.lastId)) board.addStored(stored)
      }
    } catch (error) {
      loaded.isStale = true
      throw error
    } finally {
      loaded.refreshing = null
    }
  }

  async function load(realmId: number): Promise<LoadedBoard> {
    try {
      const peopleVersion = accountCommits
      const stored = await findStoredEntries(db, realmId)
      const lastStored = stored.at(-1)?.updateId ?? 0
      // With several nodes, ids above the last entry that was read belong to entries that are still to be read.
      const lastId = isShared ? lastStored : Math.max(await findCeiling(db, realmId), lastStored)
      const board = makeRealmBoard(realmId, stored, lastId)
      const loaded = { board, peopleVersion, updatingPeople: null, isStale: isShared, refreshing: null }
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

  async function updatePeople(loaded: LoadedBoard): Promise<void> {
    const { board } = loaded
    try {
      const version = accountCommits
      const newUserIds = [...board.newUserIds]
      const isCurrent = loaded.peopleVersion === version
      const people = isCurrent
        ? (await findUsersById(db, newUserIds)).map(toPresencePerson)
        : await findPresencePeople(db, board.realmId)
      for (const person of people) board.updatePerson(person)
      for (const id of newUserIds) board.newUserIds.delete(id)
      loaded.peopleVersion = version
    } finally {
      loaded.updatingPeople = null
    }
  }

  return {
    async forRealm(realmId) {
      if (!db.commitCounters.isComplete) {
        accountCommits += 1
        markStale(realmId)
      }
      const wanted = accountCommits
      const loaded = loadedBoards.get(realmId) ?? (await loadOnce(realmId))
      if (loaded.isStale || loaded.refreshing !== null) {
        loaded.refreshing ??= refresh(loaded)
        await loaded.refreshing
      }
      const isBehind = () => loaded.peopleVersion < wanted || loaded.board.newUserIds.size > 0
      // The first round may have started before this call; the second one includes everything that was committed before
      // it.
      for (let round = 1; round <= 2 && isBehind(); round++) {
        loaded.updatingPeople ??= updatePeople(loaded)
        await loaded.updatingPeople
      }
      return loaded.board
    },
    markStale,
    all: () => Array.from(loadedBoards.values(), ({ board }) => board),
    async clear() {
      await Promise.allSettled(loads.values())
      loadedBoards.clear()
    },
  }
}
