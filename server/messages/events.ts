import type { Reaction, Submessage } from './message.ts'
import type { MessageFormat, SharedMessageJson } from './reading/message-json.ts'
import type { LocalEcho } from './sending/prepare-message.ts'

/**
 * The form in which messages stand in the event log: Markdown, beside which the event carries the HTML, with empty topics
 * and every avatar. What a queue wants otherwise is made of that.
 */
export const eventFormat: MessageFormat = {
  appliesMarkdown: false,
  allowsEmptyTopic: true,
  computesGravatar: false,
  extraEmojiType: 'service_extra_emoji',
}

export type MessageEvent = {
  type: 'message'
  message: SharedMessageJson
  flags: string[]
  rendered_content: string
  /** For the queue that the sender named, and for no other. */
  local_message_id?: string
  local_queue_id?: string
}

export function messageEvent(
  message: SharedMessageJson,
  renderedContent: string,
  flags: string[],
  localEcho: LocalEcho | null,
): MessageEvent {
  const local = localEcho === null ? {} : { local_message_id: localEcho.localId, local_queue_id: localEcho.queueId }
  return { type: 'message', message, flags, rendered_content: renderedContent, ...local }
}

type FlagsDetails = Record<number, MessageDetail>

/** Where a message stands that somebody has not read any more. */
export type MessageDetail = {
  type: 'stream' | 'private'
  mentioned?: boolean
  user_ids?: readonly number[]
  stream_id?: number
  topic?: string
  /** Of archived channels; told to no client. */
  is_archived?: true
}

export type FlagsEvent = {
  type: 'update_message_flags'
  op: 'add' | 'remove'
  operation: 'add' | 'remove'
  flag: string
  messages: readonly number[]
  all: boolean
  message_details?: FlagsDetails
}

export function flagsEvent(
  op: 'add' | 'remove',
  flag: string,
  messageIds: readonly number[],
  details?: FlagsDetails,
): FlagsEvent {
  const more = details === undefined ? {} : { message_details: details }
  return { type: 'update_message_flags', op, operation: op, flag, messages: messageIds, all: false, ...more }
}

/** Everything that the hearer has received is read. */
export function allReadEvent(): FlagsEvent {
  return { ...flagsEvent('add', 'read', []), all: true }
}

type ReactorJson = { user_id: number; email: string; full_name: string; is_mirror_dummy: boolean }

/** `reactor` is who reacted, once more: terminals of today ask the deprecated field for the name. */
export function reactionEvent(op: 'add' | 'remove', messageId: number, reaction: Reaction, reactor: ReactorJson) {
  const { userId, emojiName, emojiCode, reactionType } = reaction
  return {
    type: 'reaction',
    op,
    user_id: userId,
    user: reactor,
    message_id: messageId,
    emoji_name: emojiName,
    emoji_code: emojiCode,
    reaction_type: reactionType,
  }
}

export function submessageEvent({ id, messageId, senderId, msgType, content }: Submessage) {
  return {
    type: 'submessage',
    msg_type: msgType,
    message_id: messageId,
    submessage_id: id,
    sender_id: senderId,
    content,
  }
}

/** What is gone, from where it stood; messages of one conversation or topic alone go into one event. */
export function deletionEvent(
  messageIds: readonly number[],
  channelTopic: { channelId: number; topic: string } | null,
) {
  const where =
    channelTopic === null
      ? { message_type: 'private' }
      : { message_type: 'stream', stream_id: channelTopic.channelId, topic: channelTopic.topic }
  return { type: 'delete_message', message_ids: messageIds, ...where }
}
