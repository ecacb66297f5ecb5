import type { QueuePosition } from '../store/connection.ts'
import type { ServerEvent } from '../store/registration.ts'

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

/** The maximum time between two consecutive responses of a burst, in milliseconds. */
const MAX_DISTANCE = 300

/** The number of consecutive responses after which a burst begins. */
const MIN_RESPONSES = 3

/** The delay before each poll during a burst, in milliseconds, so that one response carries several events. */
export const BURST_PAUSE = 200

/**
 * Returns a function that is called after each response of the event queue. It returns the milliseconds before the next
 * poll. They are 0 unless events arrive in a burst, so that the first events after a quiet time are never late.
 */
export function burstPauses(now = () => performance.now()): () => number {
  let latestAt = Number.NEGATIVE_INFINITY
  let responses = 0
  return () => {
    const at = now()
    responses = at - latestAt <= MAX_DISTANCE ? responses + 1 : 1
    latestAt = at
    return responses < MIN_RESPONSES ? 0 : BURST_PAUSE
  }
}
