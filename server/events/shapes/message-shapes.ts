import { hash } from 'node:crypto'
import { displayTopic } from '#channels/topic.ts'
import type { Shape } from './shape.ts'

/**
 * Returns the message in the form that the client supports: with HTML or Markdown, with or without the avatar, and with
 * the name of the empty topic.
 */
export const shapeMessage: Shape<'message'> = (payload, form) => {
  const { rendered_content, message, all_public, local_queue_id, ...event } = payload
  const { avatar_url, sender_email } = message
  const isComputed = form.computesGravatar && isComputableAvatar(avatar_url, sender_email)
  return {
    ...event,
    message: {
      ...message,
      avatar_url: isComputed ? null : avatar_url,
      ...(form.appliesMarkdown && { content: rendered_content, content_type: 'text/html' }),
      ...(message.type === 'stream' && { subject: displayTopic(message.subject, form.allowsEmptyTopic) }),
    },
  }
}

const GRAVATAR_PREFIX = 'https://secure.gravatar.com/avatar/'

/**
 * Returns true if a client can compute the avatar URL from the email address. Such an address is visible to everyone.
 */
function isComputableAvatar(avatarUrl: string | null, email: string): boolean {
  if (avatarUrl === null) return true
  if (!avatarUrl.startsWith(GRAVATAR_PREFIX)) return false
  const digest = hash('md5', email.toLowerCase())
  return avatarUrl.startsWith(`${GRAVATAR_PREFIX}${digest}?`)
}

export const shapeMessageUpdate: Shape<'update_message'> = (payload, form) => {
  const { subject, orig_subject } = payload
  return {
    ...payload,
    ...(subject !== undefined && { subject: displayTopic(subject, form.allowsEmptyTopic) }),
    ...(orig_subject !== undefined && { orig_subject: displayTopic(orig_subject, form.allowsEmptyTopic) }),
  }
}

/** Leaves out messages in archived channels for clients that do not know such channels. */
export const shapeMessageFlags: Shape<'update_message_flags'> = (payload, form) => {
  if (payload.op === 'add' || payload.message_details === undefined) return payload
  const details = Object.entries(payload.message_details).filter(
    ([, detail]) => form.takesArchivedChannels || !detail.is_archived,
  )
  if (details.length === 0) return []
  const shown = details.map(([id, { is_archived: _, ...detail }]) => [
    id,
    detail.topic === undefined ? detail : { ...detail, topic: displayTopic(detail.topic, form.allowsEmptyTopic) },
  ])
  return { ...payload, messages: details.map(([id]) => Number(id)), message_details: Object.fromEntries(shown) }
}

/**
 * Returns one event for all messages. Clients that do not support lists of messages receive one event for each message.
 */
export const shapeDeletion: Shape<'delete_message'> = ({ message_ids, message_id: _, ...where }, form) => {
  const shown = {
    ...where,
    ...(where.topic !== undefined && { topic: displayTopic(where.topic, form.allowsEmptyTopic) }),
  }
  return form.takesBulkDeletions
    ? { ...shown, message_ids }
    : message_ids.map((message_id) => ({ ...shown, message_id }))
}

/** Gives the server's own emoji the type name that the client knows. */
export const shapeReaction: Shape<'reaction'> = (payload, form) =>
  payload.reaction_type === 'service_extra_emoji' ? { ...payload, reaction_type: form.extraEmojiType } : payload

/** Leaves out typing events of channels for clients that cannot show them. */
export const shapeTyping: Shape<'typing'> = (payload, form) => {
  const { topic } = payload
  if (topic === undefined) return payload
  return form.takesStreamTyping ? { ...payload, topic: displayTopic(topic, form.allowsEmptyTopic) } : []
}

export const shapeEditTyping: Shape<'typing_edit_message'> = (payload, form) => {
  const { recipient } = payload
  if (recipient.type === 'direct') return payload
  return { ...payload, recipient: { ...recipient, topic: displayTopic(recipient.topic, form.allowsEmptyTopic) } }
}
