import { type Organization, updateOrganization } from '../organization.ts'
import type { ServerEvent } from './event.ts'

export type ScheduledMessage = Organization['scheduled_messages'][number]

/** Messages of one's own are to be sent later, or are no more, or otherwise than was told. */
export function applyScheduledMessages(event: ServerEvent): void {
  updateOrganization(({ scheduled_messages }) => ({
    scheduled_messages: scheduledAfterEvent(scheduled_messages, event),
  }))
}

/** What waits after a `scheduled_messages` event, due first at the start. */
export function scheduledAfterEvent(
  before: readonly ScheduledMessage[],
  event: Readonly<Record<string, unknown>>,
): ScheduledMessage[] {
  const {
    scheduled_messages = [],
    scheduled_message,
    scheduled_message_id,
  } = event as {
    scheduled_messages?: ScheduledMessage[]
    scheduled_message?: ScheduledMessage
    scheduled_message_id?: number
  }
  const events = scheduled_message === undefined ? scheduled_messages : [scheduled_message]
  const gone = new Set([scheduled_message_id, ...events.map((one) => one.scheduled_message_id)])
  return [...before.filter((one) => !gone.has(one.scheduled_message_id)), ...events].sort(
    (one, other) =>
      one.scheduled_delivery_timestamp - other.scheduled_delivery_timestamp ||
      one.scheduled_message_id - other.scheduled_message_id,
  )
}
