import { type Organization, updateOrganization } from './organization.ts'
import type { EventOf } from './registration.ts'

export type ScheduledMessage = Organization['scheduled_messages'][number]
type ScheduledEvent = EventOf<'scheduled_messages'>

export function applyScheduledMessages(event: ScheduledEvent): void {
  updateOrganization(({ scheduled_messages }) => ({
    scheduled_messages: scheduledAfterEvent(scheduled_messages, event),
  }))
}

/** Returns the scheduled messages after an event, sorted by the time for which they are scheduled. */
export function scheduledAfterEvent(before: readonly ScheduledMessage[], event: ScheduledEvent): ScheduledMessage[] {
  const current = currentMessages(event)
  const replaced = new Set(current.map((one) => one.scheduled_message_id))
  if (event.op === 'remove') replaced.add(event.scheduled_message_id)
  return [...before.filter((one) => !replaced.has(one.scheduled_message_id)), ...current].sort(
    (one, other) =>
      one.scheduled_delivery_timestamp - other.scheduled_delivery_timestamp ||
      one.scheduled_message_id - other.scheduled_message_id,
  )
}

function currentMessages(event: ScheduledEvent): readonly ScheduledMessage[] {
  switch (event.op) {
    case 'add':
      return event.scheduled_messages
    case 'update':
      return [event.scheduled_message]
    default:
      return []
  }
}

export type Reminder = Organization['reminders'][number]

export function applyReminders(event: EventOf<'reminders'>): void {
  updateOrganization(({ reminders }) => ({ reminders: remindersAfterEvent(reminders, event) }))
}

/** Returns the reminders after an event. A changed reminder is removed and added again. */
export function remindersAfterEvent(before: readonly Reminder[], event: EventOf<'reminders'>): Reminder[] {
  const added = event.op === 'add' ? event.reminders : []
  const goneIds = new Set(event.op === 'add' ? added.map((one) => one.reminder_id) : [event.reminder_id])
  return [...before.filter((one) => !goneIds.has(one.reminder_id)), ...added]
}
