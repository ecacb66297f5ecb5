import { SharedMembers } from '../platform/encoding/shared-json.ts'
import { connectedAt, isVisibleToOthers, type PresenceEntry, type PresenceFormat, toMemberJson } from './entry.ts'
import type { PresencePerson } from './person.ts'

/** How many entries a slice holds at most: few enough to write anew for each change, many enough to be worth sharing. */
export const CHUNK_SIZE = 256

/** Some entries that follow one another in the order of update ids, never none. */
export type EntryChunk = {
  readonly entries: PresenceEntry[]
  readonly summaries: Record<PresenceFormat, ChunkSummary | null>
}

/** What a slice contributes to an answer, made once for all who ask. */
export type ChunkSummary = {
  /** Of `presences`: the entries that are shown; null when none is. */
  readonly members: SharedMembers | null
  /** The oldest and newest connection among them. */
  readonly oldestAt: number
  readonly newestAt: number
  /** The highest update id among them; 0 when there are none. */
  readonly lastId: number
}

export function makeChunk(entries: PresenceEntry[]): EntryChunk {
  return { entries, summaries: { modern: null, legacy: null } }
}

/** To be called after each change of its entries. */
export function dropSummaries({ summaries: digests }: EntryChunk): void {
  digests.modern = null
  digests.legacy = null
}

export function summaryOf(
  slice: EntryChunk,
  shape: PresenceFormat,
  emailOf: (person: PresencePerson) => string,
): ChunkSummary {
  slice.summaries[shape] ??= summarize(slice.entries.filter(isVisibleToOthers), shape, emailOf)
  return slice.summaries[shape]
}

/** Of entries in the order of their update ids. */
export function summarize(
  entries: readonly PresenceEntry[],
  shape: PresenceFormat,
  emailOf: (person: PresencePerson) => string,
): ChunkSummary {
  let [oldestAt, newestAt] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const texts: string[] = []
  for (const entry of entries) {
    oldestAt = Math.min(oldestAt, connectedAt(entry))
    newestAt = Math.max(newestAt, connectedAt(entry))
    texts.push(toMemberJson(entry, shape, emailOf))
  }
  const members = texts.length === 0 ? null : new SharedMembers(texts.join(','))
  return { members, oldestAt, newestAt, lastId: entries.at(-1)?.updateId ?? 0 }
}

/** The index of the first entry whose update id is above `updateId`; the number of entries when none is. */
export function indexAfter(entries: readonly PresenceEntry[], updateId: number): number {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle] as PresenceEntry).updateId > updateId) high = middle
    else low = middle + 1
  }
  return low
}
