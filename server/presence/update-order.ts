import type { PresenceEntry } from './entry.ts'
import { CHUNK_SIZE, dropSummaries, type EntryChunk, indexAfter, makeChunk } from './entry-chunk.ts'

/**
 * Entries in the order of their update ids, cut into slices. Adding and removing one leaves all slices but one or two
 * as they are, so that what was made of the others stays good.
 */
export type UpdateOrder = {
  readonly chunks: readonly EntryChunk[]
  /** The entry's update id must be above all others. */
  append(entry: PresenceEntry): void
  remove(entry: PresenceEntry): void
  /** Puts an entry in the place of another with the same update id. */
  replace(entry: PresenceEntry, successor: PresenceEntry): void
  /** The index of the first slice with an entry whose update id is above `updateId`. */
  firstChunkAfter(updateId: number): number
}

/** `entries` are in the order of their update ids, which differ. */
export function makeUpdateOrder(entries: readonly PresenceEntry[]): UpdateOrder {
  const slices: EntryChunk[] = []
  for (let start = 0; start < entries.length; start += CHUNK_SIZE) {
    slices.push(makeChunk(entries.slice(start, start + CHUNK_SIZE)))
  }

  function firstSliceAfter(updateId: number): number {
    let [low, high] = [0, slices.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (lastIdOf(slices[middle] as EntryChunk) > updateId) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Finds an entry that is in the order. */
  function locate({ updateId }: PresenceEntry): { slice: EntryChunk; at: number; index: number } {
    const index = firstSliceAfter(updateId - 1)
    const slice = slices[index] as EntryChunk
    return { slice, index, at: indexAfter(slice.entries, updateId - 1) }
  }

  /** Without this, entries that stay while their neighbours move on would each keep a slice of its own. */
  function mergeWithNext(index: number): void {
    const [slice, next] = [slices[index], slices[index + 1]]
    if (slice === undefined || next === undefined) return
    if (slice.entries.length + next.entries.length > CHUNK_SIZE / 2) return
    slices.splice(index, 2, makeChunk([...slice.entries, ...next.entries]))
  }

  return {
    chunks: slices,
    firstChunkAfter: firstSliceAfter,
    append(entry) {
      const last = slices.at(-1)
      if (last === undefined || last.entries.length >= CHUNK_SIZE) {
        slices.push(makeChunk([entry]))
        return
      }
      last.entries.push(entry)
      dropSummaries(last)
    },
    remove(entry) {
      const { slice, at, index } = locate(entry)
      if (slice.entries.length === 1) {
        slices.splice(index, 1)
        return
      }
      slice.entries.splice(at, 1)
      dropSummaries(slice)
      mergeWithNext(index)
      mergeWithNext(index - 1)
    },
    replace(entry, successor) {
      const { slice, at } = locate(entry)
      slice.entries[at] = successor
      dropSummaries(slice)
    },
  }
}

function lastIdOf({ entries }: EntryChunk): number {
  return (entries.at(-1) as PresenceEntry).updateId
}
