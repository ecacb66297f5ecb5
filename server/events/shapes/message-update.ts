import { shownTopic } from '../../messages/topic.ts'
import type { Payload, QueueForm } from '../queues/queue.ts'

/** An edit or a move, its empty topics named for clients that cannot handle them. */
export function shapeMessageUpdate(payload: Payload, form: QueueForm): Payload {
  const shaped: Record<string, unknown> = { ...payload }
  for (const field of ['subject', 'orig_subject']) {
    if (typeof shaped[field] === 'string') shaped[field] = shownTopic(shaped[field], form.allowsEmptyTopic)
  }
  return shaped
}
