import type { Message } from '../../store/messages/message.ts'
import { messageText } from '../../store/messages/message-text.ts'
import { topicTitle } from '../../store/messages/topic-title.ts'
import { t } from '../../text/t.ts'

/** Returns the text of a notification; `hidesDirect` leaves out the content of direct messages. */
export function notificationText(
  message: Message,
  { ownId, hidesDirect }: { ownId: number; hidesDirect: boolean },
): { title: string; body: string } {
  const { sender_full_name: sender, display_recipient: conversation, subject } = message
  if (typeof conversation === 'string')
    return {
      title: t('{sender} in #{conversation} › {subject}', { sender, conversation, subject: topicTitle(subject) }),
      body: messageText(message),
    }
  const others = conversation.filter(({ id }) => id !== ownId && id !== message.sender_id).map((one) => one.full_name)
  const title = others.length === 0 ? sender : t('{sender}, to you and {others}', { sender, others: others.join(', ') })
  return { title, body: hidesDirect ? t('New direct message') : messageText(message) }
}
