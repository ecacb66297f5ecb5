import { type DeliveryWorker, openDeliveryWorker } from '../../platform/jobs/delivery-worker.ts'
import { callWebhook, type WebhookContext } from './call-webhook.ts'
import { findFirstCalls } from './calls/queries.ts'

/** Has outgoing-webhook bots pass messages on when these are committed: of each bot one at a time, in their order. */
export function openWebhookWorker(room: WebhookContext & { isResponsible: () => boolean }): DeliveryWorker {
  return openDeliveryWorker({
    ...room,
    async findDue(now) {
      const first = await findFirstCalls(room.db)
      const later = first.filter(({ dueAt }) => dueAt > now).map(({ dueAt }) => dueAt)
      return { due: first.filter(({ dueAt }) => dueAt <= now), nextAt: later.length === 0 ? null : Math.min(...later) }
    },
    receiverIdOf: ({ botId }) => botId,
    deliver: (call, signal) => callWebhook(room, call, signal),
    failureMessage: 'Calls of webhooks cannot be read or written',
  })
}
