import type { historyPolicies } from '../../organizations/realms/settings.ts'
import { isResolutionChange, shownTopic } from '../topic.ts'

/** One edit or move of a message: as it is stored and as clients see it. */
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

export type HistoryPolicy = (typeof historyPolicies)[number]

/** The entries of a stored history, newest first. */
export function readHistory(stored: string | null): EditEntry[] {
  return stored === null ? [] : (JSON.parse(stored) as EditEntry[])
}

/** Whether the entry is about more than resolving or unresolving a topic: only such count as moves. */
export function isMove({ prev_stream, prev_topic, topic }: EditEntry): boolean {
  if (prev_stream !== undefined) return true
  return prev_topic !== undefined && topic !== undefined && !isResolutionChange(prev_topic, topic)
}

/** What the organization lets people see of a history; an empty one is not shown at all. */
export function visibleHistory(entries: readonly EditEntry[], policy: HistoryPolicy): readonly EditEntry[] {
  if (policy === 'all') return entries
  if (policy === 'none') return []
  return entries
    .filter((entry) => entry.prev_topic !== undefined || entry.prev_stream !== undefined)
    .map(({ prev_content, prev_rendered_content, ...moved }) => moved)
}

/** The entries as clients see them that may or may not handle the topic without a name. */
export function toHistoryJson(entries: readonly EditEntry[], allowsEmptyTopic: boolean): EditEntry[] {
  return entries.map((entry) =>
    entry.prev_topic === undefined || entry.topic === undefined
      ? entry
      : {
          ...entry,
          prev_topic: shownTopic(entry.prev_topic, allowsEmptyTopic),
          topic: shownTopic(entry.topic, allowsEmptyTopic),
        },
  )
}

/** How many entries a history has at most, and how many bytes of JSON. */
const MAX_ENTRIES = 100
const MAX_BYTES = 2_300_000

/** A stored history of fewer bytes has neither too many entries nor too long ones. */
export const SURELY_SHORT = 50 * MAX_ENTRIES

/**
 * The history within its limits. Where it goes beyond, its oldest entries become one, which leads from the message as it
 * was sent to what the first of the other entries changed: the latest edits and the original are kept.
 */
export function trimHistory(entries: readonly EditEntry[], maxEntries = MAX_ENTRIES): readonly EditEntry[] {
  const most = Math.min(maxEntries, MAX_ENTRIES)
  const kept = [...entries]
  const sizes = kept.map(sizeOf)
  let size = sizes.reduce((sum, one) => sum + one, 0)
  while (kept.length > 1 && (kept.length > most || size > MAX_BYTES)) {
    const [newer, older] = kept.splice(-2) as [EditEntry, EditEntry]
    for (const removed of sizes.splice(-2)) size -= removed
    const joined = joinEntries(newer, older)
    if (joined === null) continue
    kept.push(joined)
    sizes.push(sizeOf(joined))
    size += sizeOf(joined)
  }
  return kept.length === entries.length ? entries : kept
}

const sizeOf = (entry: EditEntry) => Buffer.byteLength(JSON.stringify(entry)) + 1

/** What two edits changed together, done by who made the later one; null when nothing is left of it. */
function joinEntries(newer: EditEntry, older: EditEntry): EditEntry | null {
  const { user_id, timestamp } = newer
  const joined: EditEntry = { ...newer, ...older, user_id, timestamp }
  if (newer.topic !== undefined) joined.topic = newer.topic
  if (newer.stream !== undefined) joined.stream = newer.stream
  if (joined.topic === joined.prev_topic) {
    delete joined.topic
    delete joined.prev_topic
  }
  if (joined.stream === joined.prev_stream) {
    delete joined.stream
    delete joined.prev_stream
  }
  return Object.keys(joined).length === 2 ? null : joined
}
