import { call } from '../../../api/call.ts'
import type { Message } from '../../../store/messages/message.ts'
import { findNewestId } from '../../../store/messages/topics.ts'

/** Gives all messages of the topic another one; rejects with `ApiError`. */
export async function renameTopic(channelId: number, topic: string, name: string): Promise<void> {
  await call('PATCH /messages/{message_id}', {
    message_id: await requireNewestId(channelId, topic),
    topic: name,
    propagate_mode: 'change_all',
    send_notification_to_old_thread: false,
    send_notification_to_new_thread: true,
  })
}

/** The newest message of the topic; rejects with `ApiError`. */
export async function fetchNewest(channelId: number, topic: string): Promise<Message> {
  const form = { allow_empty_topic_name: true, client_gravatar: false }
  const { message } = await call('GET /messages/{message_id}', {
    message_id: await requireNewestId(channelId, topic),
    ...form,
  })
  return message as Message
}

async function requireNewestId(channelId: number, topic: string): Promise<number> {
  const id = await findNewestId(channelId, topic)
  if (id === null) throw new Error('Nothing was said in this topic yet.')
  return id
}
