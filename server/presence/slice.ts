import { connectedAt, type Entry, isShown, type Shape, toMember } from './entry.ts'
import type { Person } from './person.ts'

/** How many entries a slice holds at most: few enough to write anew for each change, many enough to be worth sharing. */
export const SLICE_SIZE = 256

/** Some entries that follow one another in the order of update ids, never none. */
export type Slice = { readonly entries: Entry[]; readonly digests: Record<Shape, Digest | null> }

/** What a slice contributes to an answer, made once for all who ask. */
export type Digest = {
  /** The members of `presences` of the entries that are shown, joined by commas; empty when none is. */
  readonly text: string
  /** The same with a comma before it, as UTF-8, once it was asked for. */
  bytes: Buffer | null
  /** The oldest and newest connection among them. */
  readonly oldestAt: number
  readonly newestAt: number
  /** The highest update id among them. */
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
  const members: string[] = []
  for (const entry of entries) {
    oldestAt = Math.min(oldestAt, connectedAt(entry))
    newestAt = Math.max(newestAt, connectedAt(entry))
    members.push(toMember(entry, shape, emailOf))
  }
  return { text: members.join(','), bytes: null, oldestAt, newestAt, lastId: entries.at(-1)?.updateId ?? 0 }
}

export function bytesOf(digest: Digest): Buffer {
  digest.bytes ??= Buffer.from(`,${digest.text}`)
  return digest.bytes
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
