import { call } from '../api/call.ts'
import { t } from '../text/t.ts'
import { absoluteTime } from '../ui/time.tsx'

// Reminders: of a message, which Notification Bot sends, or of anything else, which the user writes to themselves. Times
// are in UNIX seconds. The calls reject with `ApiError`.

/** Returns the text that confirms a reminder. */
const confirmation = (at: number): string => t('Reminder set for {time}', { time: absoluteTime(at) })

/** Sets a reminder of a message. Returns its id and the text that confirms it. */
export async function remindOfMessage(
  messageId: number,
  { at, note }: { at: number; note: string },
): Promise<{ id: number; done: string }> {
  const reminder = { message_id: messageId, scheduled_delivery_timestamp: at, note }
  const { reminder_id: id } = await call('POST /reminders', reminder)
  return { id, done: confirmation(at) }
}

/** Schedules a message from the user to themselves, which arrives unread. Returns the text that confirms it. */
export async function scheduleReminder(userId: number, content: string, at: number): Promise<{ done: string }> {
  await call('POST /scheduled_messages', {
    type: 'direct',
    to: JSON.stringify([userId]),
    content,
    read_by_sender: false,
    scheduled_delivery_timestamp: at,
  })
  return { done: confirmation(at) }
}
