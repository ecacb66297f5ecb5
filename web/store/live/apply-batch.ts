import { together } from '../../ui/create-store.ts'
import { applyEvent } from '../apply-event.ts'
import { type QueuePosition, queuePosition } from '../connection.ts'
import { currentOrganization } from '../organization.ts'
import { type Batch, cut, join } from './batch.ts'

/** The latest events, for other pages that have missed some. */
let latest: Batch | null = null

/**
 * Updates the stores. Returns false if the client must register again instead. The first event of the batch must follow
 * the last one that the stores contain.
 */
export function applyBatch(batch: Batch): boolean {
  const { queueId, lastEventId, events } = batch
  const ownId = currentOrganization()?.user_id ?? 0
  return together(() => {
    const areApplied = events.map((event) => applyEvent(event, ownId)).every(Boolean)
    latest = latest === null ? batch : join(latest, batch)
    queuePosition.set({ queueId, lastEventId })
    return areApplied
  })
}

/** Returns the events after a position of another page; null if this page does not have them all. */
export function eventsAfter(position: QueuePosition): Batch | null {
  const own = queuePosition.get()
  if (own === null || own.queueId !== position.queueId) return null
  if (own.lastEventId === position.lastEventId) return { ...own, after: own.lastEventId, events: [] }
  return latest === null ? null : cut(latest, position)
}
