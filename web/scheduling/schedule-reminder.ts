import { call } from '../api/call.ts'
import { t } from '../text/t.ts'
import { absoluteTime } from '../ui/time.tsx'

/**
 * Schedules a message from the user to themselves, which arrives unread; `at` is in UNIX seconds. Returns the id of the
 * scheduled message and the text that confirms it. Rejects with `ApiError`.
 */
export async function scheduleReminder(
  userId: number,
  content: string,
  at: number,
): Promise<{ id: number; done: string }> {
  const { scheduled_message_id: id } = await call('POST /scheduled_messages', {
    type: 'direct',
    to: JSON.stringify([userId]),
    content,
    read_by_sender: false,
    scheduled_delivery_timestamp: at,
  })
  return { id, done: t('Reminder set for {time}', { time: absoluteTime(at) }) }
}
