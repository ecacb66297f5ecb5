import type { Entry } from './entry.ts'
import { firstAfter, forgetDigests, makeSlice, SLICE_SIZE, type Slice } from './slice.ts'

/**
 * Entries in the order of their update ids, cut into slices. Adding and removing one leaves all slices but one or two
 * as they are, so that what was made of the others stays good.
 */
export type UpdateOrder = {
  readonly slices: readonly Slice[]
  /** The entry's update id must be above all others. */
  append(entry: Entry): void
  remove(entry: Entry): void
  /** Puts an entry in the place of another with the same update id. */
  replace(entry: Entry, successor: Entry): void
  /** The index of the first slice with an entry whose update id is above `updateId`. */
  firstSliceAfter(updateId: number): number
}

/** `entries` are in the order of their update ids, which differ. */
export function makeUpdateOrder(entries: readonly Entry[]): UpdateOrder {
  const slices: Slice[] = []
  for (let start = 0; start < entries.length; start += SLICE_SIZE) {
    slices.push(makeSlice(entries.slice(start, start + SLICE_SIZE)))
  }

  function firstSliceAfter(updateId: number): number {
    let [low, high] = [0, slices.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (lastIdOf(slices[middle] as Slice) > updateId) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Finds an entry that is in the order. */
  function locate({ updateId }: Entry): { slice: Slice; at: number; index: number } {
    const index = firstSliceAfter(updateId - 1)
    const slice = slices[index] as Slice
    return { slice, index, at: firstAfter(slice.entries, updateId - 1) }
  }

  /** Without this, entries that stay while their neighbours move on would each keep a slice of its own. */
  function mergeWithNext(index: number): void {
    const [slice, next] = [slices[index], slices[index + 1]]
    if (slice === undefined || next === undefined) return
    if (slice.entries.length + next.entries.length > SLICE_SIZE / 2) return
    slices.splice(index, 2, makeSlice([...slice.entries, ...next.entries]))
  }

  return {
    slices,
    firstSliceAfter,
    append(entry) {
      const last = slices.at(-1)
      if (last === undefined || last.entries.length >= SLICE_SIZE) {
        slices.push(makeSlice([entry]))
        return
      }
      last.entries.push(entry)
      forgetDigests(last)
    },
    remove(entry) {
      const { slice, at, index } = locate(entry)
      if (slice.entries.length === 1) {
        slices.splice(index, 1)
        return
      }
      slice.entries.splice(at, 1)
      forgetDigests(slice)
      mergeWithNext(index)
      mergeWithNext(index - 1)
    },
    replace(entry, successor) {
      const { slice, at } = locate(entry)
      slice.entries[at] = successor
      forgetDigests(slice)
    },
  }
}

function lastIdOf({ entries }: Slice): number {
  return (entries.at(-1) as Entry).updateId
}
