import type { MessageDetail } from '../../messages/events.ts'
import { shownTopic } from '../../messages/topic.ts'
import type { Payload, QueueForm } from '../queue.ts'

/** A change of flags; where messages stand that are unread again, the topic is named where it must be. */
export function shapeMessageFlags(payload: Payload, form: QueueForm): Payload {
  const details = payload['message_details'] as Readonly<Record<string, MessageDetail>> | undefined
  if (details === undefined || form.allowsEmptyTopic) return payload
  const shown = Object.entries(details).map(([id, detail]) => [
    id,
    detail.topic === undefined ? detail : { ...detail, topic: shownTopic(detail.topic, false) },
  ])
  return { ...payload, message_details: Object.fromEntries(shown) }
}
