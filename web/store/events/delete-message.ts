import { removeArrivals } from '../messages/arrivals.ts'
import { removeMessages } from '../messages/messages.ts'
import { refreshTopics } from '../messages/topics.ts'
import { withoutUnread } from '../messages/unread.ts'
import { updateUnread } from '../messages/unread-messages.ts'
import { updateOrganization } from '../organization.ts'
import type { EventOf } from './event.ts'

export function applyDeletion({ message_ids: ids = [], stream_id }: EventOf<'delete_message'>): void {
  const deleted = new Set(ids)
  removeArrivals(ids)
  removeMessages(({ id }) => deleted.has(id))
  if (stream_id !== undefined) refreshTopics([stream_id])
  updateUnread((unread) => withoutUnread(unread, ids))
  updateOrganization(({ starred_messages }) =>
    starred_messages.some((id) => deleted.has(id))
      ? { starred_messages: starred_messages.filter((id) => !deleted.has(id)) }
      : {},
  )
}
