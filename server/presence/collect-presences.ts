import type { SharedMembers } from '../platform/encoding/shared-json.ts'
import { connectedAt, isVisibleToOthers, type PresenceEntry, type PresenceFormat, withoutAddress } from './entry.ts'
import { type ChunkSummary, indexAfter, summarize, summaryOf } from './entry-chunk.ts'
import type { PresencePerson } from './person.ts'
import type { RealmBoard } from './realm-board.ts'

/** How far back presences are answered, in days, where a request names no limit. */
const DEFAULT_HISTORY_DAYS = 14

const SECONDS_PER_DAY = 86_400

export type PresenceQuery = {
  shape: PresenceFormat
  /** What the client has; null when it did not say. From 1 on it has a part of what there is, below 1 nothing. */
  lastUpdateId: number | bigint | null
  /** Null for the default. Does not limit what is new to a client that has a part. */
  historyLimitDays: number | bigint | null
  viewerId: number
  /** Whom the viewer may know of; null for everybody. */
  visibleIds: ReadonlySet<number> | null
  /** Whose address the viewer may know, where it is told; null for everybody's. */
  knownIds: ReadonlySet<number> | null
  now: number
}

export type CollectedPresences = {
  /** Of `presences`. */
  members: SharedMembers[]
  /** The highest update id among them; null when there are none. */
  lastUpdateId: number | null
}

/** The bounds of a query: update ids above `after`, connections at `since` or later. */
type Bounds = { after: number; since: number }

/**
 * The presences that answer a query, each person once. Costs in proportion to what is new to the client; what was
 * written for one is shared by all.
 */
export function collectPresences(
  board: RealmBoard,
  query: PresenceQuery,
  emailOf: (person: PresencePerson) => string,
): CollectedPresences {
  const { shape, viewerId, visibleIds, knownIds } = query
  const bounds = boundsOf(query)
  const digests =
    visibleIds === null && knownIds === null
      ? sharedSummaries(board, shape, bounds, emailOf)
      : [summarize(entriesWithin(board, bounds, query), shape, emailOf)]
  const own = board.find(viewerId)
  // Whoever shares their presence with nobody still sees it themselves.
  if (own?.person.isActive && !isVisibleToOthers(own) && isWithin(own, bounds))
    digests.push(summarize([own], shape, emailOf))
  const members = digests.flatMap((one) => one.members ?? [])
  return {
    members,
    lastUpdateId: members.length === 0 ? null : Math.max(...digests.map(({ lastId }) => lastId)),
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
  shape: PresenceFormat,
  bounds: Bounds,
  emailOf: (person: PresencePerson) => string,
): ChunkSummary[] {
  const digests: ChunkSummary[] = []
  const partOf = (entries: readonly PresenceEntry[]) =>
    summarize(
      entries.filter((entry) => isVisibleToOthers(entry) && connectedAt(entry) >= bounds.since),
      shape,
      emailOf,
    )

  const first = order.firstChunkAfter(bounds.after)
  for (const [index, slice] of order.chunks.slice(first).entries()) {
    const start = index === 0 ? indexAfter(slice.entries, bounds.after) : 0
    if (start > 0) {
      digests.push(partOf(slice.entries.slice(start)))
      continue
    }
    const whole = summaryOf(slice, shape, emailOf)
    if (whole.oldestAt >= bounds.since) digests.push(whole)
    else if (whole.newestAt >= bounds.since) digests.push(partOf(slice.entries))
  }
  return digests
}

function entriesWithin(
  { order }: RealmBoard,
  bounds: Bounds,
  { visibleIds, knownIds }: PresenceQuery,
): PresenceEntry[] {
  const isIn = (ids: ReadonlySet<number> | null, { person }: PresenceEntry) => ids === null || ids.has(person.id)
  return order.chunks
    .slice(order.firstChunkAfter(bounds.after))
    .flatMap(({ entries }) => entries)
    .filter((entry) => isWithin(entry, bounds) && isVisibleToOthers(entry) && isIn(visibleIds, entry))
    .map((entry) => (isIn(knownIds, entry) ? entry : withoutAddress(entry)))
}
