import { type Clock, SECONDS_PER_DAY } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { SharedMembers } from '#lib/shared-json.ts'
import type { RunTransaction, Storage, Transaction } from '#storage/storage.ts'
import {
  connectedAt,
  DEFAULT_HISTORY_DAYS,
  isSamePerson,
  isVisibleToOthers,
  latestTimeOf,
  makeEntry,
  type PresenceEntry,
  type PresenceFormat,
  type PresencePerson,
  type PresenceTimes,
  withoutAddress,
} from './presence.ts'
import {
  type ChunkSummary,
  indexAfter,
  makeUpdateOrder,
  summarize,
  summaryOf,
  type UpdateOrder,
} from './update-order.ts'

// The board: the presences of an organization in memory, by update id. Clients ask for the changes after the last id
// that they know, and the parts of a response are rendered once for all of them. Methods are synchronous, so nothing
// changes between two of their steps.

/**
 * The presences of one organization, in memory. All methods are synchronous, so that nothing changes between two awaits
 * of a caller.
 */
export type RealmBoard = {
  readonly realmId: number
  readonly order: UpdateOrder
  /** Users whose first entry was added after the accounts were last read. Their accounts may have changed since. */
  readonly newUserIds: Set<number>
  /** The highest update id that was used. */
  readonly lastId: number
  /** The highest update id that may be used. A restarted server uses only higher ids. */
  readonly ceiling: number
  /** The number of users with an entry, whether or not they are online. */
  readonly size: number
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

/** The presences of all organizations, in memory. Each organization is loaded when it is first used. */
export type PresenceBoard = {
  /**
   * Returns the organization's board, with the accounts as of the last commit. Costs no query while the accounts do not
   * change. Times ahead of the clock are first replaced by the current time, each under a new update id.
   */
  forRealm(realmId: number): Promise<RealmBoard>
  /**
   * Puts new times of a user on the board and writes them within a second. If no update id is left, it does nothing and
   * returns null. The caller then awaits `reserveIds` and applies the report again, because other reports may have
   * arrived meanwhile.
   */
  record(board: RealmBoard, person: PresencePerson, times: PresenceTimes): PresenceEntry | null
  /**
   * Updates the board after a transaction has committed new times of the user. `updateId` is the id that the
   * transaction took, or null if none was left. `change` is applied to the times that are then on the board.
   */
  recordCommitted(
    board: RealmBoard,
    person: PresencePerson,
    updateId: number | null,
    change: (before: PresenceTimes | null) => PresenceTimes | null,
  ): void
  /** Returns the user's latest reported entry, which may not be on the board yet. */
  findLatest(board: RealmBoard, userId: number): PresenceEntry | null
  /**
   * Makes sure that a recorded entry counts when the user stops sharing their presence on any node, so that the entry
   * may be published before. Writes it at once. Returns false if the user has stopped sharing meanwhile.
   */
  confirm(transaction: RunTransaction, board: RealmBoard, entry: PresenceEntry): Promise<boolean>
  /**
   * Returns the user's latest reported times. With several nodes, no other node can write times of the user until the
   * transaction ends.
   */
  findTimes(tx: Transaction, board: RealmBoard, userId: number): Promise<PresenceTimes | null>
  /**
   * Replaces the stored times and returns the new update id. Returns null, and writes nothing, if no update id is left.
   */
  saveTimes(tx: Transaction, board: RealmBoard, userId: number, times: PresenceTimes): Promise<number | null>
  /** Resolves when more update ids are available. */
  reserveIds(board: RealmBoard): Promise<void>
  /** Records that the user was active in a client, for statistics. */
  recordInput(userId: number, now: number): void
  /** Returns the number of entries on all boards in memory. */
  count(): number
  /** Writes everything that is not written yet. */
  close(): Promise<void>
  /** Discards everything, written or not, because all rows are about to be deleted. */
  reset(): Promise<void>
}

export type BoardOptions = {
  storage: Pick<
    Storage,
    'db' | 'transaction' | 'isShared' | 'isWritable' | 'onCommit' | 'onOutsideCommit' | 'onNodeNotification'
  >
  clock: Clock
  log: Log
}

export type PresenceQuery = {
  format: PresenceFormat
  /**
   * The last update id that the client has received; null if the client sent none. A value below 1 means that the
   * client has no presences.
   */
  lastUpdateId: number | bigint | null
  /** In days; null means the default. The limit does not apply to clients that already have presences. */
  historyLimitDays: number | bigint | null
  viewerId: number
  /** The users whom the viewer may see; null for all users. */
  visibleIds: ReadonlySet<number> | null
  /** The users whose email address the viewer may see; null for all users, and for the format without addresses. */
  addressVisibleIds: ReadonlySet<number> | null
  now: number
}

export type CollectedPresences = {
  /** The members of the JSON object `presences`. */
  members: SharedMembers[]
  /** The highest update id of these presences; null if there are none. */
  lastUpdateId: number | null
}

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
    get lastId() {
      return last
    },
    get ceiling() {
      return ceiling
    },
    get size() {
      return byUser.size
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

declare module '#http/endpoint.ts' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it extends the interface of that file
  interface Services {
    presence: PresenceBoard
  }
}

/** Selects entries with an update id above `after` and a connection at `since` or later. */
type Bounds = { after: number; since: number }

/**
 * Returns the presences that match a query, at most one per user. The cost is proportional to the updates that are new
 * to the client. All clients share the JSON of each chunk.
 */
export function collectPresences(
  board: RealmBoard,
  query: PresenceQuery,
  emailOf: (person: PresencePerson) => string,
): CollectedPresences {
  const { format, viewerId, visibleIds, addressVisibleIds } = query
  const bounds = boundsOf(query)
  const summaries =
    visibleIds === null && addressVisibleIds === null
      ? sharedSummaries(board, format, bounds, emailOf)
      : [summarize(entriesWithin(board, bounds, query), format, emailOf)]
  const own = board.find(viewerId)
  // Users who do not share their presence still see their own.
  if (own?.person.isActive && !isVisibleToOthers(own) && isWithin(own, bounds))
    summaries.push(summarize([own], format, emailOf))
  const members = summaries.flatMap((one) => one.members ?? [])
  return {
    members,
    lastUpdateId: members.length === 0 ? null : Math.max(...summaries.map(({ lastId }) => lastId)),
  }
}

function boundsOf({ lastUpdateId, historyLimitDays, now }: PresenceQuery): Bounds {
  const after = lastUpdateId === null ? 0 : Number(lastUpdateId)
  if (after > 0) return { after, since: Number.NEGATIVE_INFINITY }
  const days = Number(historyLimitDays ?? DEFAULT_HISTORY_DAYS)
  return { after, since: days > 0 ? now - days * SECONDS_PER_DAY : Number.POSITIVE_INFINITY }
}

const isWithin = (entry: PresenceEntry, { after, since }: Bounds) =>
  entry.updateId > after && connectedAt(entry) >= since

function sharedSummaries(
  { order }: RealmBoard,
  format: PresenceFormat,
  bounds: Bounds,
  emailOf: (person: PresencePerson) => string,
): ChunkSummary[] {
  const summaries: ChunkSummary[] = []
  const partOf = (entries: readonly PresenceEntry[]) =>
    summarize(
      entries.filter((entry) => isVisibleToOthers(entry) && connectedAt(entry) >= bounds.since),
      format,
      emailOf,
    )

  const first = order.firstChunkAfter(bounds.after)
  for (const [index, chunk] of order.chunks.slice(first).entries()) {
    const start = index === 0 ? indexAfter(chunk.entries, bounds.after) : 0
    if (start > 0) {
      summaries.push(partOf(chunk.entries.slice(start)))
      continue
    }
    const summary = summaryOf(chunk, format, emailOf)
    if (summary.oldestAt >= bounds.since) summaries.push(summary)
    else if (summary.newestAt >= bounds.since) summaries.push(partOf(chunk.entries))
  }
  return summaries
}

function entriesWithin(
  { order }: RealmBoard,
  bounds: Bounds,
  { visibleIds, addressVisibleIds }: PresenceQuery,
): PresenceEntry[] {
  const isIn = (ids: ReadonlySet<number> | null, { person }: PresenceEntry) => ids === null || ids.has(person.id)
  return order.chunks
    .slice(order.firstChunkAfter(bounds.after))
    .flatMap(({ entries }) => entries)
    .filter((entry) => isWithin(entry, bounds) && isVisibleToOthers(entry) && isIn(visibleIds, entry))
    .map((entry) => (isIn(addressVisibleIds, entry) ? entry : withoutAddress(entry)))
}
