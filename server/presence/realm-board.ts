import { latestTimeOf, makeEntry, type PresenceEntry } from './entry.ts'
import { isSamePerson, type PresencePerson } from './person.ts'
import type { PresenceTimes } from './presence.ts'
import { makeUpdateOrder, type UpdateOrder } from './update-order.ts'

/** The presences of one organization in memory. Nothing here waits: between two awaits a caller has it to itself. */
export type RealmBoard = {
  readonly realmId: number
  readonly order: UpdateOrder
  /** Those whose first entry was made since accounts were read: what the board knows of them may be out of date. */
  readonly newUserIds: Set<number>
  /** Those whose latest news could not be told, because writing failed. */
  readonly pendingEventUserIds: Set<number>
  /** No update id above it was given out. */
  readonly lastId: number
  /** Up to here ids may be given out: no later start of the server gives them again. */
  readonly ceiling: number
  find(userId: number): PresenceEntry | null
  /** The entries with a time after `time`; looks through all entries only where there may be one. */
  findAfter(time: number): readonly PresenceEntry[]
  /** Takes the next update id; null when the ceiling is reached. */
  takeId(): number | null
  /** Puts an entry, whose id was taken last, in the place of the person's former one. */
  put(entry: PresenceEntry): void
  /** Puts what was stored, perhaps by another node: its update id is above all on the board. */
  addStored(stored: StoredEntry): void
  /** From now on `person` stands in the entry of that person, if there is one. */
  updatePerson(person: PresencePerson): void
  /** Allows ids up to `ceiling`. `found` is the ceiling before it: where it is not this board's own, ids up to it are others'. */
  raiseCeiling(found: number, ceiling: number): void
  /** Gives no more ids until the ceiling is raised. */
  releaseReserve(): void
}

export type StoredEntry = PresenceTimes & { readonly person: PresencePerson; readonly updateId: number }

/** `stored` is in the order of update ids; all ids up to `lastId` may have been given out. */
export function makeRealmBoard(realmId: number, stored: readonly StoredEntry[], lastId: number): RealmBoard {
  const entries = stored.map((one) => makeEntry(one.person, one, one.updateId))
  const byUser = new Map(entries.map((entry) => [entry.person.id, entry]))
  const order = makeUpdateOrder(entries)
  const newcomers = new Set<number>()
  let ceiling = lastId
  let last = lastId
  /** No time on the board is later. */
  let latestAt = latestOf(entries)

  function set(entry: PresenceEntry): void {
    byUser.set(entry.person.id, entry)
    latestAt = Math.max(latestAt, latestTimeOf(entry))
  }

  return {
    realmId,
    order,
    newUserIds: newcomers,
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
      const former = byUser.get(entry.person.id)
      if (former === undefined) newcomers.add(entry.person.id)
      else order.remove(former)
      order.append(entry)
      set(entry)
    },
    addStored(one) {
      const former = byUser.get(one.person.id)
      if (former !== undefined) order.remove(former)
      const entry = makeEntry(one.person, one, one.updateId)
      order.append(entry)
      set(entry)
      last = one.updateId
    },
    updatePerson(person) {
      const former = byUser.get(person.id)
      if (former === undefined || isSamePerson(former.person, person)) return
      const entry = makeEntry(person, former, former.updateId)
      order.replace(former, entry)
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
