import { SharedMembers } from '#lib/shared-json.ts'
import {
  connectedAt,
  isVisibleToOthers,
  type PresenceEntry,
  type PresenceFormat,
  type PresencePerson,
  toMemberJson,
} from './presence.ts'

// Entries in the order of their update ids, in chunks whose JSON is rendered once for all clients. A change renders
// only its chunk again.

/**
 * The maximum number of entries of a chunk: few enough to render again after each change, many enough to be worth
 * sharing.
 */
export const CHUNK_SIZE = 256

/** Consecutive entries, ordered by update id; never empty. */
type EntryChunk = {
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

function makeChunk(entries: PresenceEntry[]): EntryChunk {
  return { entries, summaries: { modern: null, legacy: null } }
}

/** Discards the JSON of the chunk. Call this after each change to its entries. */
function dropSummaries({ summaries }: EntryChunk): void {
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

/**
 * Entries ordered by update id and divided into chunks. Adding or removing an entry changes only chunks next to it, so
 * that the JSON of the others can be reused.
 */
export type UpdateOrder = {
  readonly chunks: readonly EntryChunk[]
  /** The entry must have the highest update id. */
  append(entry: PresenceEntry): void
  remove(entry: PresenceEntry): void
  /** Replaces an entry with another one that has the same update id. */
  replace(entry: PresenceEntry, successor: PresenceEntry): void
  /** Returns the index of the first chunk that has an entry with an update id above `updateId`. */
  firstChunkAfter(updateId: number): number
}

/** Makes an order from `entries`, which must be sorted by update id. Update ids must be unique. */
export function makeUpdateOrder(entries: readonly PresenceEntry[]): UpdateOrder {
  const chunks: EntryChunk[] = []
  for (let start = 0; start < entries.length; start += CHUNK_SIZE) {
    chunks.push(makeChunk(entries.slice(start, start + CHUNK_SIZE)))
  }

  function firstChunkAfter(updateId: number): number {
    let [low, high] = [0, chunks.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (lastIdOf(chunks[middle] as EntryChunk) > updateId) high = middle
      else low = middle + 1
    }
    return low
  }

  function locate({ updateId }: PresenceEntry): { chunk: EntryChunk; at: number; index: number } {
    const index = firstChunkAfter(updateId - 1)
    const chunk = chunks[index] as EntryChunk
    return { chunk, index, at: indexAfter(chunk.entries, updateId - 1) }
  }

  /**
   * Merges a chunk with its neighbor if both are small. Otherwise many small chunks would remain when users report:
   * their entries move to the end, and entries that stay would each keep a chunk of their own.
   */
  function mergeWithNext(index: number): void {
    const [chunk, next] = [chunks[index], chunks[index + 1]]
    if (chunk === undefined || next === undefined) return
    if (chunk.entries.length + next.entries.length > CHUNK_SIZE / 2) return
    chunks.splice(index, 2, makeChunk([...chunk.entries, ...next.entries]))
  }

  return {
    chunks: chunks,
    firstChunkAfter: firstChunkAfter,
    append(entry) {
      const last = chunks.at(-1)
      if (last === undefined || last.entries.length >= CHUNK_SIZE) {
        chunks.push(makeChunk([entry]))
        return
      }
      last.entries.push(entry)
      dropSummaries(last)
    },
    remove(entry) {
      const { chunk, at, index } = locate(entry)
      if (chunk.entries.length === 1) {
        chunks.splice(index, 1)
        return
      }
      chunk.entries.splice(at, 1)
      dropSummaries(chunk)
      mergeWithNext(index)
      mergeWithNext(index - 1)
    },
    replace(entry, successor) {
      const { chunk, at } = locate(entry)
      chunk.entries[at] = successor
      dropSummaries(chunk)
    },
  }
}

function lastIdOf({ entries }: EntryChunk): number {
  return (entries.at(-1) as PresenceEntry).updateId
}
