import { CONCURRENCY, type Courier, openCourier } from '../../platform/jobs/courier.ts'
import { findDuePushNotices } from './notices/queries.ts'
import { type PushContext, sendPushNotice } from './send-push-notice.ts'

/** Has browsers tell of messages while no page is open in them: each of one message at a time, in their order. */
export function openPushWorker(room: PushContext & { isOurs: () => boolean }): Courier {
  return openCourier({
    ...room,
    findWaiting: (now) => findDuePushNotices(room.db, now, 2 * CONCURRENCY),
    receiverOf: ({ sessionId }) => sessionId,
    deliver: (notice, signal) => sendPushNotice(room, notice, signal),
    complaint: 'Notices for browsers cannot be read or written',
  })
}
