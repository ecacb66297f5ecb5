import type { historyPolicies } from '../../realms/settings.ts'
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
