import { type Organization, updateOrganization } from '../organization.ts'
import type { EventOf } from './event.ts'

type Statuses = Organization['user_status']

export function applyStatus(event: EventOf<'user_status'>): void {
  updateOrganization(({ user_status }) => ({ user_status: statusesAfterEvent(user_status, event) }))
}

const FIELDS = ['status_text', 'emoji_name', 'emoji_code', 'reaction_type', 'scheduled_end_time'] as const

/** Returns the statuses after an event. The event has only the fields that changed. An empty field was cleared. */
export function statusesAfterEvent(statuses: Statuses, event: Omit<EventOf<'user_status'>, 'id' | 'type'>): Statuses {
  const id = String(event.user_id)
  const changes = Object.fromEntries(FIELDS.filter((field) => field in event).map((field) => [field, event[field]]))
  const { status_text, emoji_name, scheduled_end_time, ...emoji } = { ...statuses[id], ...changes }
  const { [id]: _, ...others } = statuses
  const status: Statuses[string] = {
    ...(status_text && { status_text }),
    ...(emoji_name && { emoji_name, ...emoji }),
    ...(scheduled_end_time != null && { scheduled_end_time }),
  }
  return Object.keys(status).length === 0 ? others : { ...others, [id]: status }
}
