import { type DeliveryWorker, MAX_DELIVERIES_AT_ONCE, openDeliveryWorker } from '../../platform/jobs/delivery-worker.ts'
import { findDuePushNotices } from './notices/queries.ts'
import { type PushContext, sendPushNotice } from './send-push-notice.ts'

/** Has browsers tell of messages while no page is open in them: each of one message at a time, in their order. */
export function openPushWorker(room: PushContext & { isResponsible: () => boolean }): DeliveryWorker {
  return openDeliveryWorker({
    ...room,
    findDue: (now) => findDuePushNotices(room.db, now, 2 * MAX_DELIVERIES_AT_ONCE),
    receiverIdOf: ({ sessionId }) => sessionId,
    deliver: (notice, signal) => sendPushNotice(room, notice, signal),
    failureMessage: 'Notices for browsers cannot be read or written',
  })
}
