import { call } from '../../api/call.ts'
import { t } from '../../text/t.ts'
import { showToast } from '../../ui/feedback/toasts.ts'
import { absoluteTime } from '../../ui/text/time.tsx'

/** The destination of a message in the API. */
export type Target = { type: 'channel'; to: string; topic: string } | { type: 'direct'; to: string }

/** Schedules a message for `dueAt`, in UNIX seconds. */
export async function schedule(target: Target, content: string, dueAt: number): Promise<void> {
  const message = { ...target, content, read_by_sender: true, scheduled_delivery_timestamp: dueAt }
  await call('POST /scheduled_messages', message)
  showToast(t('Scheduled for {absoluteTime}', { absoluteTime: absoluteTime(dueAt) }))
}
