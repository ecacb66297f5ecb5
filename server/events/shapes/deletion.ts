import { shownTopic } from '../../messages/topic.ts'
import type { Payload, QueueForm } from '../queues/queue.ts'

/** What was deleted: one event for all, or one for each where the client knows nothing else. */
export function shapeDeletion(payload: Payload, form: QueueForm): Payload | readonly Payload[] {
  const { message_ids, ...where } = payload as unknown as { message_ids: readonly number[]; topic?: string }
  if (where.topic !== undefined) where.topic = shownTopic(where.topic, form.allowsEmptyTopic)
  if (form.takesBulkDeletions) return { type: 'delete_message', ...where, message_ids }
  return message_ids.map((message_id) => ({ type: 'delete_message', ...where, message_id }))
}
