import type { Payload, QueueForm } from '../queues/queue.ts'

/** A reaction; the server's own emoji under the name that the client has for their kind. */
export function shapeReaction(payload: Payload, form: QueueForm): Payload {
  if (payload['reaction_type'] !== 'service_extra_emoji') return payload
  return { ...payload, reaction_type: form.extraEmojiType }
}
