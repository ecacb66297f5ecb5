import type { EmittedOfType } from '#storage/storage.ts'
import type { Reaction, Submessage } from './message.ts'
import type { MessageFormat, SharedMessageJson } from './reading/message-json.ts'
import type { LocalEcho } from './sending/prepare-message.ts'

/**
 * The format of messages in the event log: Markdown besides the HTML, empty topic names, and all avatar URLs. The
 * server derives the formats of other clients from it.
 */
export const eventFormat: MessageFormat = {
  appliesMarkdown: false,
  allowsEmptyTopic: true,
  computesGravatar: false,
  extraEmojiType: 'service_extra_emoji',
}

type MessageEvent = EmittedOfType<'message'>

export function messageEvent(
  message: SharedMessageJson,
  renderedContent: string,
  flags: string[],
  localEcho: LocalEcho | null,
): MessageEvent {
  const local = localEcho === null ? {} : { local_message_id: localEcho.localId, local_queue_id: localEcho.queueId }
  return { type: 'message', message, flags, rendered_content: renderedContent, ...local }
}

type FlagsEvent = EmittedOfType<'update_message_flags'>

type FlagsDetails = NonNullable<Extract<FlagsEvent, { op: 'remove' }>['message_details']>

/** The conversation of a message that was marked as unread. */
export type MessageDetail = FlagsDetails[string]

/** Returns an event about a change of flags. `details` describes messages that were marked as unread. */
export function flagsEvent(
  op: 'add' | 'remove',
  flag: string,
  messageIds: readonly number[],
  details?: FlagsDetails,
): FlagsEvent {
  const fields = { flag, messages: messageIds, all: false }
  if (op === 'add') return { type: 'update_message_flags', op, operation: op, ...fields }
  const optional = details === undefined ? {} : { message_details: details }
  return { type: 'update_message_flags', op, operation: op, ...fields, ...optional }
}

/** Returns the event for users who have read all messages that they received. */
export function allReadEvent(): FlagsEvent {
  return { ...flagsEvent('add', 'read', []), all: true }
}

type ReactorJson = EmittedOfType<'reaction'>['user']

/**
 * Returns an event about a reaction. `reactor` is the user who reacted. It fills the deprecated field `user`, from
 * which terminal clients still read the name.
 */
export function reactionEvent(
  op: 'add' | 'remove',
  messageId: number,
  reaction: Reaction,
  reactor: ReactorJson,
): EmittedOfType<'reaction'> {
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

export function submessageEvent({
  id,
  messageId,
  senderId,
  msgType,
  content,
}: Submessage): EmittedOfType<'submessage'> {
  return {
    type: 'submessage',
    msg_type: msgType,
    message_id: messageId,
    submessage_id: id,
    sender_id: senderId,
    content,
  }
}

/** Returns the event for deleted messages of one conversation. `topic` must be null for direct messages. */
export function deletionEvent(
  messageIds: readonly number[],
  topic: { channelId: number; topic: string } | null,
): EmittedOfType<'delete_message'> {
  const type = 'delete_message'
  if (topic === null) return { type, message_ids: messageIds, message_type: 'private' }
  return { type, message_ids: messageIds, message_type: 'stream', stream_id: topic.channelId, topic: topic.topic }
}
