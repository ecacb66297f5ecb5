import { type DeliveryWorker, MAX_DELIVERIES_AT_ONCE, openDeliveryWorker } from '../../platform/jobs/delivery-worker.ts'
import { findDuePushNotices } from './notices/queries.ts'
import { type PushContext, sendPushNotice } from './send-push-notice.ts'

/** Opens the worker that notifies browsers while no page is open in them: each browser gets one message at a time, in order. */
export function openPushWorker(context: PushContext & { isResponsible: () => boolean }): DeliveryWorker {
  return openDeliveryWorker({
    ...context,
    findDue: (now) => findDuePushNotices(context.db, now, 2 * MAX_DELIVERIES_AT_ONCE),
    receiverIdOf: ({ sessionId }) => sessionId,
    deliver: (notice, signal) => sendPushNotice(context, notice, signal),
    failureMessage: 'Could not read or write push notifications',
  })
}
