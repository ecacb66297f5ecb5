import type { AnswerOf } from '../api/call.ts'
import { plainText } from '../message-html/plain-text.ts'
import { currentOrganization, type Organization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { readWidget } from './widgets.ts'

/** A message as `GET /messages` returns it, with the user's flags. */
export type Message = AnswerOf<'GET /messages'>['messages'][number]

/** Values of `visibility_policy` of the API: the user's setting for a topic. */
export const TopicPolicy = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const

/**
 * Returns true if a system bot reports in a channel what the user did, for example that they resolved a topic. To the
 * user, this is no news.
 */
export function isOwnNotice(
  { type, sender_id, content }: Pick<Message, 'type' | 'sender_id' | 'content'>,
  { user_id: ownId, cross_realm_bots }: Pick<Organization, 'user_id' | 'cross_realm_bots'>,
): boolean {
  if (type === 'private' || !cross_realm_bots.some(({ user_id }) => user_id === sender_id)) return false
  const mentioned = [...content.matchAll(/<span class="user-mention silent" data-user-id="(\d+)">/g)]
  return mentioned.length > 0 && mentioned.every(([, id]) => Number(id) === ownId)
}

/** Returns the maximum length of a topic, in code points. The server truncates longer topics. */
export const maxTopicLength = (): number => currentOrganization()?.max_topic_length ?? Number.POSITIVE_INFINITY

export const isTopicTooLong = (topic: string): boolean => [...topic.trim()].length > maxTopicLength()

/** Returns true if the server would truncate the text of a message. */
export const isMessageTooLong = (text: string): boolean =>
  [...text.trimEnd()].length > (currentOrganization()?.max_message_length ?? Number.POSITIVE_INFINITY)

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
