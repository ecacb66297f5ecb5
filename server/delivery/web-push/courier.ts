import { CONCURRENCY, type Courier, openCourier } from '../../platform/jobs/courier.ts'
import { findWaitingPushNotices } from './notices/queries.ts'
import { type PushRoom, tellBrowser } from './tell-browser.ts'

/** Has browsers tell of messages while no page is open in them: each of one message at a time, in their order. */
export function openPushCourier(room: PushRoom & { isOurs: () => boolean }): Courier {
  return openCourier({
    ...room,
    findWaiting: (now) => findWaitingPushNotices(room.db, now, 2 * CONCURRENCY),
    receiverOf: ({ sessionId }) => sessionId,
    deliver: (notice, signal) => tellBrowser(room, notice, signal),
    complaint: 'Notices for browsers cannot be read or written',
  })
}
