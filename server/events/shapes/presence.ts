import type { Payload, QueueForm } from '../queues/queue.ts'

/** Somebody's presence; clients that asked for the slim form know people by their ids alone. */
export function shapePresence(payload: Payload, form: QueueForm): Payload {
  if (!form.hasSlimPresence) return payload
  const { email, ...slim } = payload
  return slim
}
