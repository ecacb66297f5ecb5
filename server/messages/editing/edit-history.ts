import { displayTopic, isResolutionChange } from '#channels/topic.ts'
import type { historyPolicies } from '#realms/settings.ts'

/** One edit or move of a message. The database and the API use the same form. */
export type EditEntry = {
  user_id: number
  /** Whole UNIX seconds. */
  timestamp: number
  prev_content?: string
  prev_rendered_content?: string
  prev_topic?: string
  topic?: string
  prev_stream?: number
  stream?: number
}

type HistoryPolicy = (typeof historyPolicies)[number]

/** Returns the entries of a stored history, newest first. */
export function parseHistory(stored: string | null): EditEntry[] {
  return stored === null ? [] : (JSON.parse(stored) as EditEntry[])
}

/** Returns true for a move. Resolving or unresolving a topic is not a move. */
export function isMove({ prev_stream, prev_topic, topic }: EditEntry): boolean {
  if (prev_stream !== undefined) return true
  return prev_topic !== undefined && topic !== undefined && !isResolutionChange(prev_topic, topic)
}

/** Returns the part of the history that the organization's policy shows. */
export function visibleHistory(entries: readonly EditEntry[], policy: HistoryPolicy): readonly EditEntry[] {
  if (policy === 'all') return entries
  if (policy === 'none') return []
  return entries
    .filter((entry) => entry.prev_topic !== undefined || entry.prev_stream !== undefined)
    .map(({ prev_content, prev_rendered_content, ...moved }) => moved)
}

/** Returns the entries, with topic names in the form that the client supports. */
export function toHistoryJson(entries: readonly EditEntry[], allowsEmptyTopic: boolean): EditEntry[] {
  return entries.map((entry) =>
    entry.prev_topic === undefined || entry.topic === undefined
      ? entry
      : {
          ...entry,
          prev_topic: displayTopic(entry.prev_topic, allowsEmptyTopic),
          topic: displayTopic(entry.topic, allowsEmptyTopic),
        },
  )
}

/** The maximum number of entries of a history, and its maximum size in bytes of JSON. */
const MAX_ENTRIES = 100
const MAX_BYTES = 2_300_000

/** A stored history that is not larger than this, in bytes, is within both limits. */
export const MAX_UNTRIMMED_BYTES = 50 * MAX_ENTRIES

/**
 * Returns the history within its limits. If it exceeds a limit, the oldest entries are merged into one, so that the
 * latest edits and the original message are kept.
 */
export function trimHistory(entries: readonly EditEntry[], maxEntries = MAX_ENTRIES): readonly EditEntry[] {
  const limit = Math.min(maxEntries, MAX_ENTRIES)
  const kept = [...entries]
  const sizes = kept.map(sizeOf)
  let size = sizes.reduce((sum, one) => sum + one, 0)
  while (kept.length > 1 && (kept.length > limit || size > MAX_BYTES)) {
    const [newer, older] = kept.splice(-2) as [EditEntry, EditEntry]
    for (const removed of sizes.splice(-2)) size -= removed
    const merged = mergeEntries(newer, older)
    if (merged === null) continue
    kept.push(merged)
    sizes.push(sizeOf(merged))
    size += sizeOf(merged)
  }
  return kept.length === entries.length ? entries : kept
}

const sizeOf = (entry: EditEntry) => Buffer.byteLength(JSON.stringify(entry)) + 1

/**
 * Merges two edits into one edit by the user who made the newer one. Returns null if the edits cancel each other out.
 */
function mergeEntries(newer: EditEntry, older: EditEntry): EditEntry | null {
  const { user_id, timestamp } = newer
  const merged: EditEntry = { ...newer, ...older, user_id, timestamp }
  if (newer.topic !== undefined) merged.topic = newer.topic
  if (newer.stream !== undefined) merged.stream = newer.stream
  if (merged.topic === merged.prev_topic) {
    delete merged.topic
    delete merged.prev_topic
  }
  if (merged.stream === merged.prev_stream) {
    delete merged.stream
    delete merged.prev_stream
  }
  return Object.keys(merged).length === 2 ? null : merged
}
