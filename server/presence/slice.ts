import { SharedMembers } from '../platform/encoding/shared-json.ts'
import { connectedAt, type Entry, isShown, type Shape, toMember } from './entry.ts'
import type { Person } from './person.ts'

/** How many entries a slice holds at most: few enough to write anew for each change, many enough to be worth sharing. */
export const SLICE_SIZE = 256

/** Some entries that follow one another in the order of update ids, never none. */
export type Slice = { readonly entries: Entry[]; readonly digests: Record<Shape, Digest | null> }

/** What a slice contributes to an answer, made once for all who ask. */
export type Digest = {
  /** Of `presences`: the entries that are shown; null when none is. */
  readonly members: SharedMembers | null
  /** The oldest and newest connection among them. */
  readonly oldestAt: number
  readonly newestAt: number
  /** The highest update id among them; 0 when there are none. */
  readonly lastId: number
}

export function makeSlice(entries: Entry[]): Slice {
  return { entries, digests: { modern: null, legacy: null } }
}

/** To be called after each change of its entries. */
export function forgetDigests({ digests }: Slice): void {
  digests.modern = null
  digests.legacy = null
}

export function digestOf(slice: Slice, shape: Shape, emailOf: (person: Person) => string): Digest {
  slice.digests[shape] ??= digest(slice.entries.filter(isShown), shape, emailOf)
  return slice.digests[shape]
}

/** Of entries in the order of their update ids. */
export function digest(entries: readonly Entry[], shape: Shape, emailOf: (person: Person) => string): Digest {
  let [oldestAt, newestAt] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const texts: string[] = []
  for (const entry of entries) {
    oldestAt = Math.min(oldestAt, connectedAt(entry))
    newestAt = Math.max(newestAt, connectedAt(entry))
    texts.push(toMember(entry, shape, emailOf))
  }
  const members = texts.length === 0 ? null : new SharedMembers(texts.join(','))
  return { members, oldestAt, newestAt, lastId: entries.at(-1)?.updateId ?? 0 }
}

/** The index of the first entry whose update id is above `updateId`; the number of entries when none is. */
export function firstAfter(entries: readonly Entry[], updateId: number): number {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle] as Entry).updateId > updateId) high = middle
    else low = middle + 1
  }
  return low
}
