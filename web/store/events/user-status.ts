import { type Organization, updateOrganization } from '../organization.ts'
import type { ServerEvent } from './event.ts'

type Statuses = Organization['user_status']

/** Takes what somebody says of themselves now. */
export function applyStatus(event: ServerEvent): void {
  updateOrganization(({ user_status }) => ({ user_status: statusesAfterEvent(user_status, event) }))
}

const FIELDS = ['status_text', 'emoji_name', 'emoji_code', 'reaction_type'] as const

/** The statuses after a `user_status` event, which says only what was set; what is empty was taken away. */
export function statusesAfterEvent(statuses: Statuses, event: Readonly<Record<string, unknown>>): Statuses {
  const id = String(event['user_id'])
  const events = Object.fromEntries(FIELDS.filter((field) => field in event).map((field) => [field, event[field]]))
  const { status_text, emoji_name, ...emoji } = { ...statuses[id], ...events }
  const { [id]: _, ...others } = statuses
  const status = {
    ...(status_text && { status_text }),
    ...(emoji_name && { emoji_name, ...emoji }),
  }
  return Object.keys(status).length === 0 ? others : { ...others, [id]: status as Statuses[string] }
}
