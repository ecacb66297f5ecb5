import type { SharedMembers } from '#lib/encoding/shared-json.ts'
import { connectedAt, isVisibleToOthers, type PresenceEntry, type PresenceFormat, withoutAddress } from './entry.ts'
import { type ChunkSummary, indexAfter, summarize, summaryOf } from './entry-chunk.ts'
import type { PresencePerson } from './person.ts'
import type { RealmBoard } from './realm-board.ts'

/** The maximum age of presences, in days, if the request sets none. */
const DEFAULT_HISTORY_DAYS = 14

const SECONDS_PER_DAY = 86_400

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
