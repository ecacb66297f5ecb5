import type { Payload, QueueForm } from '../queue.ts'

/** A change of a channel; for clients that do not know archived channels, one that is archived is gone. */
export function shapeStream(payload: Payload, form: QueueForm): Payload {
  const { op, property, value, stream_id } = payload
  if (form.takesArchivedChannels || op !== 'update' || property !== 'is_archived' || value !== true) return payload
  return { type: 'stream', op: 'delete', streams: [{ stream_id }], stream_ids: [stream_id] }
}
