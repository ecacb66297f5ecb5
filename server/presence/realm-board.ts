import { latestTimeOf, makeEntry, type PresenceEntry } from './entry.ts'
import { isSamePerson, type PresencePerson } from './person.ts'
import type { PresenceTimes } from './presence.ts'
import { makeUpdateOrder, type UpdateOrder } from './update-order.ts'

/**
 * The presences of one organization, in memory. All methods are synchronous, so that nothing changes between two awaits
 * of a caller.
 */
export type RealmBoard = {
  readonly realmId: number
  readonly order: UpdateOrder
  /** Users whose first entry was added after the accounts were last read. Their accounts may have changed since. */
  readonly newUserIds: Set<number>
  /** Users whose last event could not be written. */
  readonly pendingEventUserIds: Set<number>
  /** The highest update id that was used. */
  readonly lastId: number
  /** The highest update id that may be used. A restarted server uses only higher ids. */
  readonly ceiling: number
  find(userId: number): PresenceEntry | null
  /** Returns the entries with a time after `time`. It searches the entries only if the board may have one. */
  findAfter(time: number): readonly PresenceEntry[]
  /** Takes the next update id; null if the ceiling is reached. */
  takeId(): number | null
  /** Replaces the user's entry. The new entry must have the update id that was taken last. */
  put(entry: PresenceEntry): void
  /**
   * Adds an entry that was read from the database. This node or another one wrote it. Its update id must be the highest
   * on the board.
   */
  addStored(stored: StoredEntry): void
  /** Replaces the account in the user's entry, if the board has one. */
  updatePerson(person: PresencePerson): void
  /**
   * Allows ids up to `ceiling`. `found` is the ceiling that was stored before. If it differs from this board's ceiling,
   * other processes have used the ids up to `found`.
   */
  raiseCeiling(found: number, ceiling: number): void
  /** Stops the use of ids until the ceiling is raised. */
  releaseReserve(): void
}

export type StoredEntry = PresenceTimes & { readonly person: PresencePerson; readonly updateId: number }

/** Makes a board from stored entries, which must be ordered by update id. Ids up to `lastId` may have been used. */
export function makeRealmBoard(realmId: number, stored: readonly StoredEntry[], lastId: number): RealmBoard {
  const entries = stored.map((storedEntry) => makeEntry(storedEntry.person, storedEntry, storedEntry.updateId))
  const byUser = new Map(entries.map((entry) => [entry.person.id, entry]))
  const order = makeUpdateOrder(entries)
  const newUserIds = new Set<number>()
  let ceiling = lastId
  let last = lastId
  /** An upper bound of the times on the board. */
  let latestAt = latestOf(entries)

  function set(entry: PresenceEntry): void {
    byUser.set(entry.person.id, entry)
    latestAt = Math.max(latestAt, latestTimeOf(entry))
  }

  return {
    realmId,
    order,
    newUserIds,
    pendingEventUserIds: new Set(),
    get lastId() {
      return last
    },
    get ceiling() {
      return ceiling
    },
    find: (userId) => byUser.get(userId) ?? null,
    findAfter(time) {
      if (latestAt <= time) return []
      const all = [...byUser.values()]
      latestAt = latestOf(all)
      return all.filter((entry) => latestTimeOf(entry) > time)
    },
    takeId() {
      if (last >= ceiling) return null
      last += 1
      return last
    },
    put(entry) {
      const previous = byUser.get(entry.person.id)
      if (previous === undefined) newUserIds.add(entry.person.id)
      else order.remove(previous)
      order.append(entry)
      set(entry)
    },
    addStored(storedEntry) {
      const previous = byUser.get(storedEntry.person.id)
      if (previous !== undefined) order.remove(previous)
      const entry = makeEntry(storedEntry.person, storedEntry, storedEntry.updateId)
      order.append(entry)
      set(entry)
      last = storedEntry.updateId
    },
    updatePerson(person) {
      const previous = byUser.get(person.id)
      if (previous === undefined || isSamePerson(previous.person, person)) return
      const entry = makeEntry(person, previous, previous.updateId)
      order.replace(previous, entry)
      byUser.set(person.id, entry)
    },
    raiseCeiling(found, raised) {
      if (found > ceiling) last = found
      ceiling = raised
    },
    releaseReserve() {
      ceiling = last
    },
  }
}

function latestOf(entries: readonly PresenceEntry[]): number {
  return entries.reduce((latest, entry) => Math.max(latest, latestTimeOf(entry)), Number.NEGATIVE_INFINITY)
}
