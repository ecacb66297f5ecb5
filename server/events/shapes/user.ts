import type { Payload, QueueForm } from '../queues/queue.ts'

/** An account; of those that the hearer may not know of only those clients hear that could not do without. */
export function shapeUser(payload: Payload, form: QueueForm): Payload | readonly Payload[] {
  const { is_unknown, ...event } = payload
  return is_unknown === true && form.omitsUnknownUsers ? [] : event
}
