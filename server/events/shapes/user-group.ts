import type { Payload, QueueForm } from '../queues/queue.ts'

/** A change of a group; for clients that do not know deactivated groups, one that is deactivated is gone. */
export function shapeUserGroup(payload: Payload, form: QueueForm): Payload | readonly Payload[] {
  const { is_back, ...event } = payload
  // To those who know of it, it was never gone.
  if (is_back === true) return form.includesDeactivatedGroups ? [] : event
  const { op, data, group_id } = payload as { op: string; data?: { deactivated?: boolean }; group_id?: number }
  if (form.includesDeactivatedGroups || op !== 'update' || data?.deactivated !== true) return payload
  return { type: 'user_group', op: 'remove', group_id }
}
