import { removeArrivals } from '../messages/arrivals.ts'
import { removeMessages } from '../messages/messages.ts'
import { refreshTopics } from '../messages/topics.ts'
import { withoutUnread } from '../messages/unread.ts'
import { updateUnread } from '../messages/unread-messages.ts'
import type { ServerEvent } from './event.ts'

/** Messages are gone. */
export function applyDeletion(event: ServerEvent): void {
  const ids = event['message_ids'] as number[]
  const gone = new Set(ids)
  removeArrivals(ids)
  removeMessages(({ id }) => gone.has(id))
  if (typeof event['stream_id'] === 'number') refreshTopics([event['stream_id']])
  updateUnread((unread) => withoutUnread(unread, ids))
}
