import type { Message } from '../message.ts'
import { showChangedMessages } from '../messages.ts'

let lastPendingId = 0

/** Returns true if `showChange` added the submessage, and the event of the change has not arrived yet. */
export const isPending = ({ id }: { id: number }): boolean => id < 0

/**
 * Shows a change to a poll or to-do list before the server has confirmed it. The event of the change replaces it.
 * Returns a function that reverts the change.
 */
export function showChange(messageId: number, senderId: number, content: string): () => void {
  lastPendingId -= 1
  const change = { id: lastPendingId, message_id: messageId, sender_id: senderId, msg_type: 'widget', content } as const
  const showSubmessages = (update: (submessages: Message['submessages']) => Message['submessages']) =>
    showChangedMessages(new Set([messageId]), (message) => ({ ...message, submessages: update(message.submessages) }))
  showSubmessages((submessages) => [...submessages, change])
  return () => showSubmessages((submessages) => submessages.filter(({ id }) => id !== change.id))
}
