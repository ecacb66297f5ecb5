import type { Payload, QueueForm } from '../queues/queue.ts'

type Fields = Payload & { is_archived?: true; streams?: readonly { is_archived?: boolean }[] }

/**
 * What happened to channels. For clients that do not know archived channels there are none: one that is archived is
 * gone, and what becomes of it after that is not told.
 */
export function shapeStream(payload: Payload, form: QueueForm): Payload | readonly Payload[] {
  const { is_archived: isOfArchived, ...event } = payload as Fields
  if (form.takesArchivedChannels) return event
  const { op, property, value, stream_id, streams } = event as Fields & { op: string }
  if (isOfArchived === true) return []
  if (op === 'create') {
    const current = streams?.filter((channel) => channel.is_archived !== true) ?? []
    return current.length === 0 ? [] : { ...event, streams: current }
  }
  if (op !== 'update' || property !== 'is_archived' || value !== true) return event
  return { type: 'stream', op: 'delete', streams: [{ stream_id }], stream_ids: [stream_id] }
}
