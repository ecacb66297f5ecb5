import { SharedMembers } from '#lib/encoding/shared-json.ts'
import { connectedAt, isVisibleToOthers, type PresenceEntry, type PresenceFormat, toMemberJson } from './entry.ts'
import type { PresencePerson } from './person.ts'

/**
 * The maximum number of entries of a chunk: few enough to render again after each change, many enough to be worth
 * sharing.
 */
export const CHUNK_SIZE = 256

/** Consecutive entries, ordered by update id; never empty. */
export type EntryChunk = {
  readonly entries: PresenceEntry[]
  readonly summaries: Record<PresenceFormat, ChunkSummary | null>
}

/** The JSON of a chunk, rendered once for all clients, and the bounds of its entries. */
export type ChunkSummary = {
  /** The JSON of the summarized entries; null if there are none. */
  readonly members: SharedMembers | null
  /** The times of the oldest and the newest connection of these entries. */
  readonly oldestAt: number
  readonly newestAt: number
  /** The highest update id of these entries; 0 if there are none. */
  readonly lastId: number
}

export function makeChunk(entries: PresenceEntry[]): EntryChunk {
  return { entries, summaries: { modern: null, legacy: null } }
}

/** Discards the JSON of the chunk. Call this after each change to its entries. */
export function dropSummaries({ summaries }: EntryChunk): void {
  summaries.modern = null
  summaries.legacy = null
}

export function summaryOf(
  chunk: EntryChunk,
  format: PresenceFormat,
  emailOf: (person: PresencePerson) => string,
): ChunkSummary {
  chunk.summaries[format] ??= summarize(chunk.entries.filter(isVisibleToOthers), format, emailOf)
  return chunk.summaries[format]
}

/** Renders the JSON of the entries and finds their bounds. The entries must be ordered by update id. */
export function summarize(
  entries: readonly PresenceEntry[],
  format: PresenceFormat,
  emailOf: (person: PresencePerson) => string,
): ChunkSummary {
  let [oldestAt, newestAt] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const texts: string[] = []
  for (const entry of entries) {
    oldestAt = Math.min(oldestAt, connectedAt(entry))
    newestAt = Math.max(newestAt, connectedAt(entry))
    texts.push(toMemberJson(entry, format, emailOf))
  }
  const members = texts.length === 0 ? null : new SharedMembers(texts.join(','))
  return { members, oldestAt, newestAt, lastId: entries.at(-1)?.updateId ?? 0 }
}

/**
 * Returns the index of the first entry with an update id above `updateId`, or the number of entries if there is none.
 */
export function indexAfter(entries: readonly PresenceEntry[], updateId: number): number {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle] as PresenceEntry).updateId > updateId) high = middle
    else low = middle + 1
  }
  return low
}
