import { openDeliveryJob } from '#lib/jobs/delivery-job.ts'
import type { Job } from '#lib/jobs/job.ts'
import { findFirstCalls } from '#messages/notices/webhook-call-queries.ts'
import { callWebhook, type WebhookContext } from './call-webhook.ts'

/** Calls outgoing webhooks after the commit. Each bot gets one message at a time, in order. */
export function openWebhookJob(context: WebhookContext & { isResponsible: () => boolean }): Job {
  return openDeliveryJob({
    ...context,
    async findDue(now) {
      const first = await findFirstCalls(context.db)
      const later = first.filter(({ dueAt }) => dueAt > now).map(({ dueAt }) => dueAt)
      return { due: first.filter(({ dueAt }) => dueAt <= now), nextAt: later.length === 0 ? null : Math.min(...later) }
    },
    receiverIdOf: ({ botId }) => botId,
    deliver: (call, signal) => callWebhook(context, call, signal),
    failureMessage: 'Could not read or write calls of outgoing webhooks',
  })
}
