import { findUsersById } from '#people/user-queries.ts'
import type { Db, Storage } from '#storage/storage.ts'
import { makeRealmBoard, type RealmBoard } from './board.ts'
import { toPresencePerson } from './presence.ts'
import { findCeiling, findPresencePeople, findStoredChanges, findStoredEntries } from './queries.ts'

// The boards of the organizations in use. A board is loaded at its first use and follows the changes of accounts and
// groups that commits report.

/** The boards that have been used so far. Each is loaded once. */
type LoadedBoards = {
  /**
   * Returns the organization's board, with the accounts as of the last commit. Costs no query while the accounts do not
   * change.
   */
  forRealm(realmId: number): Promise<RealmBoard>
  all(): RealmBoard[]
  /** Records that the database has newer entries. They are read before `forRealm` returns the board again. */
  markStale(realmId: number): void
  /** Discards all boards, including those that are being loaded. */
  clear(): Promise<void>
}

/**
 * A board that has been loaded. Its people reflect `peopleVersion` commits to unknown accounts, and the log of commits
 * to known ones up to the length `peopleAt`.
 */
type LoadedBoard = {
  readonly board: RealmBoard
  peopleVersion: number
  peopleAt: number
  updatingPeople: Promise<void> | null
  /** True if other nodes may have written presences that are not on the board. */
  isStale: boolean
  refreshing: Promise<void> | null
}

type BoardStorage = Pick<Storage, 'db' | 'isShared' | 'onCommit' | 'onOutsideCommit' | 'onNodeNotification'>

export const openLoadedBoards = (storage: BoardStorage): LoadedBoards => new Boards(storage)

class Boards implements LoadedBoards {
  readonly #db: Db
  readonly #isShared: boolean
  readonly #loaded = new Map<number, LoadedBoard>()
  readonly #loads = new Map<number, Promise<LoadedBoard>>()
  #accountCommits = 0

  constructor(storage: BoardStorage) {
    this.#db = storage.db
    this.#isShared = storage.isShared
    storage.onCommit(({ written, userRows }) => {
      if (written.has('users') && !userRows.has('users')) this.#accountCommits += 1
    })
    storage.onOutsideCommit(() => {
      this.#accountCommits += 1
      for (const realmId of this.#loaded.keys()) this.markStale(realmId)
    })
    storage.onNodeNotification('presences', (ids) => {
      for (const id of ids) this.markStale(Number(id))
    })
  }

  async forRealm(realmId: number): Promise<RealmBoard> {
    if (!this.#db.commitCounters.isComplete) {
      this.#accountCommits += 1
      this.markStale(realmId)
    }
    const requiredVersion = this.#accountCommits
    const requiredAt = this.#db.commitCounters.userRows.length
    const loaded = this.#loaded.get(realmId) ?? (await this.#loadOnce(realmId))
    if (loaded.isStale || loaded.refreshing !== null) {
      loaded.refreshing ??= this.#refresh(loaded)
      await loaded.refreshing
    }
    const isBehind = () =>
      loaded.peopleVersion < requiredVersion || loaded.peopleAt < requiredAt || loaded.board.newUserIds.size > 0
    // The first round may have started before this call; the second one includes everything that was committed before
    // the call.
    for (let round = 1; round <= 2 && isBehind(); round++) {
      loaded.updatingPeople ??= this.#updatePeople(loaded)
      await loaded.updatingPeople
    }
    return loaded.board
  }

  all(): RealmBoard[] {
    return Array.from(this.#loaded.values(), ({ board }) => board)
  }

  markStale(realmId: number): void {
    const loaded = this.#loaded.get(realmId)
    if (loaded !== undefined && this.#isShared) loaded.isStale = true
  }

  async clear(): Promise<void> {
    await Promise.allSettled(this.#loads.values())
    this.#loaded.clear()
  }

  #loadOnce(realmId: number): Promise<LoadedBoard> {
    const loading = this.#loads.get(realmId) ?? this.#load(realmId)
    this.#loads.set(realmId, loading)
    return loading
  }

  async #load(realmId: number): Promise<LoadedBoard> {
    try {
      const peopleVersion = this.#accountCommits
      const peopleAt = this.#db.commitCounters.userRows.length
      const stored = await findStoredEntries(this.#db, realmId)
      const lastStored = stored.at(-1)?.updateId ?? 0
      // With several nodes, ids above that of the last entry that was read belong to entries that are still to be read.
      const lastId = this.#isShared ? lastStored : Math.max(await findCeiling(this.#db, realmId), lastStored)
      const board = makeRealmBoard(realmId, stored, lastId)
      const isStale = this.#isShared
      const loaded = { board, peopleVersion, peopleAt, updatingPeople: null, isStale, refreshing: null }
      this.#loaded.set(realmId, loaded)
      return loaded
    } finally {
      this.#loads.delete(realmId)
    }
  }

  async #refresh(loaded: LoadedBoard): Promise<void> {
    const { board } = loaded
    try {
      while (loaded.isStale) {
        loaded.isStale = false
        const changes = await findStoredChanges(this.#db, board.realmId, board.lastId)
        const addedIds = changes.map(({ userId }) => userId).filter((id) => board.find(id) === null)
        const added = new Map(
          (await findUsersById(this.#db, addedIds)).map((user) => [user.id, toPresencePerson(user)]),
        )
        for (const { userId, ...change } of changes) {
          const person = board.find(userId)?.person ?? added.get(userId)
          if (person !== undefined) board.addStored({ ...change, person })
        }
        for (const id of addedIds) board.newUserIds.add(id)
      }
    } catch (error) {
      loaded.isStale = true
      throw error
    } finally {
      loaded.refreshing = null
    }
  }

  async #updatePeople(loaded: LoadedBoard): Promise<void> {
    const { board } = loaded
    try {
      const version = this.#accountCommits
      const { userRows } = this.#db.commitCounters
      const at = userRows.length
      const newUserIds = [...board.newUserIds]
      const changedUserIds = loaded.peopleVersion === version ? userRows.since(loaded.peopleAt, ['users']) : null
      const people =
        changedUserIds === null
          ? await findPresencePeople(this.#db, board.realmId)
          : (await findUsersById(this.#db, [...newUserIds, ...changedUserIds])).map(toPresencePerson)
      for (const person of people) board.updatePerson(person)
      for (const id of newUserIds) board.newUserIds.delete(id)
      loaded.peopleVersion = version
      loaded.peopleAt = at
    } finally {
      loaded.updatingPeople = null
    }
  }
}
