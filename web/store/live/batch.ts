import type { QueuePosition } from '../connection.ts'
import type { ServerEvent } from '../events/event.ts'

/** Consecutive events of a queue, after the event `after` and up to `lastEventId`. */
export type Batch = {
  readonly queueId: string
  readonly after: number
  readonly lastEventId: number
  readonly events: readonly ServerEvent[]
}

/** The maximum number of events in a joined batch. */
export const MAX_JOINED = 500

/**
 * Joins two batches, and drops the oldest events beyond `MAX_JOINED`. Returns `next` alone if it does not follow
 * `known`.
 */
export function join(known: Batch, next: Batch): Batch {
  if (known.queueId !== next.queueId || known.lastEventId !== next.after) return next
  const events = [...known.events, ...next.events]
  const dropped = Math.max(0, events.length - MAX_JOINED)
  const after = dropped === 0 ? known.after : events[dropped - 1]!.id
  return { ...next, after, events: events.slice(dropped) }
}

/**
 * Returns the part of a batch that follows a position. Returns null if events between the position and the batch are
 * missing, if the batch ends before the position, or if it belongs to another queue.
 */
export function cut(batch: Batch, { queueId, lastEventId }: QueuePosition): Batch | null {
  if (batch.queueId !== queueId || batch.after > lastEventId || batch.lastEventId < lastEventId) return null
  return { ...batch, after: lastEventId, events: batch.events.filter(({ id }) => id > lastEventId) }
}
