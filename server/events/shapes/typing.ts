import { shownTopic } from '../../messages/topic.ts'
import type { Payload, QueueForm } from '../queues/queue.ts'

/** Somebody types; of channels only those clients hear that know how to show it. */
export function shapeTyping(payload: Payload, form: QueueForm): Payload | readonly Payload[] {
  const { topic } = payload
  if (typeof topic !== 'string') return payload
  return form.takesStreamTyping ? { ...payload, topic: shownTopic(topic, form.allowsEmptyTopic) } : []
}

/** Somebody edits a message, its topic named where it must be. */
export function shapeEditTyping(payload: Payload, form: QueueForm): Payload {
  const { recipient } = payload as unknown as { recipient: { topic?: string } }
  if (recipient.topic === undefined) return payload
  return { ...payload, recipient: { ...recipient, topic: shownTopic(recipient.topic, form.allowsEmptyTopic) } }
}
