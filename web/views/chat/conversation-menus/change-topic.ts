import { call } from '../../../api/call.ts'
import type { Message } from '../../../store/messages/message.ts'

/**
 * Renames, resolves or unresolves the topic of a message; rejects with `ApiError`. A corrected title causes no notice;
 * the server announces in any case that a topic was resolved.
 */
export async function renameTopic(messageId: number, name: string): Promise<void> {
  await call('PATCH /messages/{message_id}', {
    message_id: messageId,
    topic: name,
    propagate_mode: 'change_all',
    send_notification_to_old_thread: false,
    send_notification_to_new_thread: false,
  })
}

/** Fetches a message; rejects with `ApiError`. */
export async function fetchMessage(id: number): Promise<Message> {
  const form = { allow_empty_topic_name: true, client_gravatar: false }
  const { message } = await call('GET /messages/{message_id}', { message_id: id, ...form })
  return message as Message
}
