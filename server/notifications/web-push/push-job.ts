import { MAX_DELIVERIES_AT_ONCE, openDeliveryJob } from '#lib/jobs/delivery-job.ts'
import type { Job } from '#lib/jobs/job.ts'
import { findDuePushNotices } from '#messages/notices/push-notice-queries.ts'
import { type PushContext, sendPushNotice } from './send-push-notice.ts'

/** Notifies browsers while no page is open in them. Each browser gets one message at a time, in order. */
export function openPushJob(context: PushContext & { isResponsible: () => boolean }): Job {
  return openDeliveryJob({
    ...context,
    findDue: (now) => findDuePushNotices(context.db, now, 2 * MAX_DELIVERIES_AT_ONCE),
    receiverIdOf: ({ sessionId }) => sessionId,
    deliver: (notice, signal) => sendPushNotice(context, notice, signal),
    failureMessage: 'Could not read or write push notifications',
  })
}
