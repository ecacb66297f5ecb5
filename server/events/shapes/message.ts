import type { SharedMessageJson } from '../../messages/reading/message-json.ts'
import { shownTopic } from '../../messages/topic.ts'
import type { Payload, QueueForm } from '../queues/queue.ts'
import { isComputableAvatar } from './gravatar.ts'

type Fields = { rendered_content: string; message: SharedMessageJson; all_public?: true }

/** A message as the queue wants it: in HTML or as it was written, with avatars or without, its empty topic named or not. */
export function shapeMessage(payload: Payload, form: QueueForm): Payload {
  const { rendered_content, message, all_public, ...event } = payload as unknown as Fields
  const { avatar_url, sender_email } = message
  const shaped = {
    ...message,
    avatar_url: form.computesGravatar && isComputableAvatar(avatar_url, sender_email) ? null : avatar_url,
  }
  if (form.appliesMarkdown) Object.assign(shaped, { content: rendered_content, content_type: 'text/html' })
  if (message.type === 'stream') shaped.subject = shownTopic(message.subject, form.allowsEmptyTopic)
  return { ...event, message: shaped }
}
