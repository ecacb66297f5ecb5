import type { PresenceEntry } from './entry.ts'
import { CHUNK_SIZE, dropSummaries, type EntryChunk, indexAfter, makeChunk } from './entry-chunk.ts'

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
