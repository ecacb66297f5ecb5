import { updateMessages } from '../messages/messages.ts'
import type { EventOf } from './event.ts'

/** Adds a change to a poll or to-do list. A change that the message has already, since it was loaded meanwhile, is skipped. */
export function applySubmessage(event: EventOf<'submessage'>): void {
  const { submessage_id: id, message_id, sender_id, msg_type, content } = event
  updateMessages([message_id], (message) =>
    message.submessages.some((one) => one.id === id)
      ? message
      : { ...message, submessages: [...message.submessages, { id, message_id, sender_id, msg_type, content }] },
  )
}
