import { updateMessages } from '../messages/messages.ts'
import { isPending } from '../messages/widgets/pending-change.ts'
import type { EventOf } from './event.ts'

/**
 * Adds a change to a poll or to-do list. If the page already shows this change as pending, replaces the pending one.
 * Does nothing if the message was loaded after the change and already contains it.
 */
export function applySubmessage(event: EventOf<'submessage'>): void {
  const { submessage_id: id, message_id, sender_id, msg_type, content } = event
  const added = { id, message_id, sender_id, msg_type, content }
  updateMessages([message_id], (message) => {
    const { submessages } = message
    if (submessages.some((one) => one.id === id)) return message
    const shown = submessages.findIndex(
      (one) => isPending(one) && one.sender_id === sender_id && one.content === content,
    )
    return { ...message, submessages: shown === -1 ? [...submessages, added] : submessages.with(shown, added) }
  })
}
