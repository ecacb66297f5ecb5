import { z } from 'zod'
import type { Channel } from '#channels/channel.ts'
import { displayTopic } from '#channels/topic.ts'
import { isMeMessage } from '#markdown/me-message.ts'
import {
  apiEmail,
  avatarUrl,
  placeholderEmail,
  UNKNOWN_USER_AVATAR,
  UNKNOWN_USER_NAME,
  type User,
} from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import { parseHistory, toHistoryJson, visibleHistory } from '../editing/edit-history.ts'
import { type Message, type Reaction, reactionTypes, type Submessage } from '../message.ts'

const participantJson = z.strictObject({
  id: z.int(),
  email: z.string(),
  full_name: z.string(),
  is_mirror_dummy: z.boolean(),
})

const reactionJson = z.strictObject({
  emoji_name: z.string(),
  emoji_code: z.string(),
  reaction_type: z.enum([...reactionTypes, 'zulip_extra_emoji']),
  user_id: z.int(),
})

const submessageJson = z.strictObject({
  id: z.int(),
  message_id: z.int(),
  sender_id: z.int(),
  msg_type: z.string(),
  content: z.string(),
})

const editEntryJson = z.strictObject({
  user_id: z.int().nullable(),
  timestamp: z.int(),
  prev_content: z.string().optional(),
  prev_rendered_content: z.string().optional(),
  prev_topic: z.string().optional(),
  topic: z.string().optional(),
  prev_stream: z.int().optional(),
  stream: z.int().optional(),
})

const fields = {
  id: z.int(),
  type: z.enum(['stream', 'private']),
  stream_id: z.int().optional(),
  subject: z.string(),
  topic_links: z.array(z.strictObject({ text: z.string(), url: z.string() })),
  content: z.string(),
  content_type: z.enum(['text/html', 'text/x-markdown']),
  timestamp: z.int(),
  client: z.string(),
  is_me_message: z.boolean(),
  avatar_url: z.string().nullable(),
  sender_id: z.int(),
  sender_email: z.string(),
  sender_full_name: z.string(),
  sender_realm_str: z.string(),
  recipient_id: z.int(),
  display_recipient: z.union([z.string(), z.array(participantJson)]),
  reactions: z.array(reactionJson),
  submessages: z.array(submessageJson),
  edit_history: z.array(editEntryJson).optional(),
  last_edit_timestamp: z.int().optional(),
  last_moved_timestamp: z.int().optional(),
}

/** A message as clients see it, with the flags of the requesting user. */
export const messageJson = z.strictObject({ ...fields, flags: z.array(z.string()) })

export const sharedMessageJson = z.strictObject(fields)

export type MessageJson = z.infer<typeof messageJson>

/** The fields of a message that do not depend on the user's flags. */
export type SharedMessageJson = z.infer<typeof sharedMessageJson>

export type Participant = z.infer<typeof participantJson>

/** The data that is needed to show a message. */
export type MessageContext = {
  realm: Realm
  externalUrl: string
  sender: User
  senderRealm: Pick<Realm, 'subdomain'>
  /** True if the viewer may not see the sender. */
  hidesSender: boolean
  recipientId: number
  channelOrParticipants: Channel | readonly Participant[]
  topicLinks: readonly { text: string; url: string }[]
  reactions: readonly Reaction[]
  submessages: readonly Submessage[]
}

/** The format that the client asked for. */
export type MessageFormat = {
  appliesMarkdown: boolean
  allowsEmptyTopic: boolean
  computesGravatar: boolean
  extraEmojiType: 'service_extra_emoji' | 'zulip_extra_emoji'
}

export function toMessageJson(message: Message, context: MessageContext, format: MessageFormat): SharedMessageJson {
  const { channelOrParticipants } = context
  const json: SharedMessageJson = {
    id: message.id,
    type: 'private',
    subject: '',
    topic_links: context.topicLinks as SharedMessageJson['topic_links'],
    content: format.appliesMarkdown ? message.renderedContent : message.content,
    content_type: format.appliesMarkdown ? 'text/html' : 'text/x-markdown',
    timestamp: Math.floor(message.sentAt),
    client: message.client,
    is_me_message: isMeMessage(message.content),
    sender_id: message.senderId,
    ...toSenderJson(context, format),
    recipient_id: context.recipientId,
    display_recipient: '',
    reactions: context.reactions.map((reaction) => toReactionJson(reaction, format)),
    submessages: context.submessages.map(toSubmessageJson),
  }
  if ('name' in channelOrParticipants) {
    json.type = 'stream'
    json.stream_id = channelOrParticipants.id
    json.subject = displayTopic(message.topic, format.allowsEmptyTopic)
    json.display_recipient = channelOrParticipants.name
  } else json.display_recipient = channelOrParticipants as Participant[]
  if (message.editHistory !== null) addEdits(json, message, context.realm, format)
  return json
}

function toSenderJson(
  { sender, senderRealm, hidesSender, realm, externalUrl }: MessageContext,
  { computesGravatar }: MessageFormat,
): Pick<SharedMessageJson, 'sender_full_name' | 'sender_email' | 'sender_realm_str' | 'avatar_url'> {
  if (hidesSender) {
    return {
      sender_full_name: UNKNOWN_USER_NAME,
      sender_email: placeholderEmail(sender.id, realm, externalUrl),
      sender_realm_str: senderRealm.subdomain,
      avatar_url: UNKNOWN_USER_AVATAR,
    }
  }
  return {
    sender_full_name: sender.fullName,
    sender_email: apiEmail(sender, senderRealm, externalUrl),
    sender_realm_str: senderRealm.subdomain,
    avatar_url: avatarUrl(sender, computesGravatar),
  }
}

function toReactionJson(reaction: Reaction, { extraEmojiType }: MessageFormat): z.infer<typeof reactionJson> {
  const { emojiName, emojiCode, reactionType, userId } = reaction
  return {
    emoji_name: emojiName,
    emoji_code: emojiCode,
    reaction_type: reactionType === 'service_extra_emoji' ? extraEmojiType : reactionType,
    user_id: userId,
  }
}

function toSubmessageJson({ id, messageId, senderId, msgType, content }: Submessage): z.infer<typeof submessageJson> {
  return { id, message_id: messageId, sender_id: senderId, msg_type: msgType, content }
}

/** Adds the edit history if the organization shows it. The times of the last edit and move are always added. */
function addEdits(json: SharedMessageJson, message: Message, realm: Realm, { allowsEmptyTopic }: MessageFormat): void {
  const policy = realm.settings.message_edit_history_visibility_policy
  const entries = policy === 'none' ? [] : visibleHistory(parseHistory(message.editHistory), policy)
  if (entries.length > 0) json.edit_history = toHistoryJson(entries, allowsEmptyTopic)
  if (message.lastEditedAt !== null) json.last_edit_timestamp = Math.floor(message.lastEditedAt)
  if (message.lastMovedAt !== null) json.last_moved_timestamp = Math.floor(message.lastMovedAt)
}
