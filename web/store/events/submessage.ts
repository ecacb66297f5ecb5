import { updateMessages } from '../messages/messages.ts'
import { isPending } from '../messages/widgets/pending-change.ts'
import type { EventOf } from './event.ts'

/**
 * Adds a change to a poll or to-do list, in the place of the user's own one that is shown already. A change that the message has,
 * since it was loaded meanwhile, is skipped.
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
