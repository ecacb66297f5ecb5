import { t } from '../../text/t.ts'
import { plainText } from '../../ui/message-html/plain-text.ts'
import type { Message } from './message.ts'
import { readWidget } from './widgets/read-widget.ts'

/**
 * Returns the beginning of a message in one line, for previews and notifications: the question of a poll, the title of
 * a to-do list, or the text, in which spoilers stay hidden.
 */
export function messageText(message: Message): string {
  // Widgets look the same to all users, except for the items that they may add.
  const widget = message.submessages.length > 0 ? readWidget(message, 0) : null
  if (widget?.kind === 'poll') return widget.question ? t('Poll: {title}', { title: widget.question }) : t('Poll')
  if (widget?.kind === 'todo') return widget.title ? t('To-do list: {title}', { title: widget.title }) : t('To-do list')
  const html = message.is_me_message ? message.content.replace(/^<p>\/me /, '<p>') : message.content
  return plainText(html) || t('Attachment')
}
