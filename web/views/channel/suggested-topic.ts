import type { Message } from '../../store/messages/message.ts'

/**
 * Returns the topic of the newest message, except for topics in which only the server's bots wrote. Returns the empty
 * topic if there is none.
 */
export function suggestedTopic(
  messages: readonly Pick<Message, 'sender_id' | 'subject'>[],
  systemBotIds: readonly number[],
): string {
  const written = messages.filter(({ sender_id }) => !systemBotIds.includes(sender_id))
  const topics = new Set(written.map(({ subject }) => subject.toLowerCase()))
  return messages.findLast(({ subject }) => topics.has(subject.toLowerCase()))?.subject ?? ''
}
