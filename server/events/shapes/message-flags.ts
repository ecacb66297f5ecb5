import type { MessageDetail } from '../../messages/events.ts'
import { shownTopic } from '../../messages/topic.ts'
import type { Payload, QueueForm } from '../queues/queue.ts'

/**
 * A change of flags; where messages stand that are unread again, the topic is named where it must be. For clients that
 * do not know archived channels nothing is unread there.
 */
export function shapeMessageFlags(payload: Payload, form: QueueForm): Payload | readonly Payload[] {
  const details = payload['message_details'] as Readonly<Record<string, MessageDetail>> | undefined
  if (details === undefined) return payload
  const told = Object.entries(details).filter(([, detail]) => form.takesArchivedChannels || !detail.is_archived)
  if (told.length === 0) return []
  const shown = told.map(([id, { is_archived: _, ...detail }]) => [
    id,
    detail.topic === undefined ? detail : { ...detail, topic: shownTopic(detail.topic, form.allowsEmptyTopic) },
  ])
  return { ...payload, messages: told.map(([id]) => Number(id)), message_details: Object.fromEntries(shown) }
}
