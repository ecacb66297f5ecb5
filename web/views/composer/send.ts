import { call } from '../../api/call.ts'
import { t } from '../../text/t.ts'
import { showToast } from '../../ui/feedback/toasts.ts'
import { absoluteTime } from '../../ui/text/time.tsx'

/** The destination of a message in the API. */
export type Target = { type: 'channel'; to: string; topic: string } | { type: 'direct'; to: string }

/** Sends a message immediately, or at `dueAt` in UNIX seconds. Returns its id; null if it is scheduled. */
export async function send(target: Target, content: string, dueAt: number | null): Promise<number | null> {
  const message = { ...target, content, read_by_sender: true }
  if (dueAt === null) return (await call('POST /messages', message)).id
  await call('POST /scheduled_messages', { ...message, scheduled_delivery_timestamp: dueAt })
  showToast(t('Scheduled for {absoluteTime}', { absoluteTime: absoluteTime(dueAt) }))
  return null
}
