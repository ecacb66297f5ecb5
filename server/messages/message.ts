import { z } from 'zod'
import type { Channel } from '#channels/channel.ts'
import { displayTopic } from '#channels/topic.ts'
import type { Call } from '#http/endpoint.ts'
import { isMeMessage } from '#markdown/render.ts'
import {
  apiEmail,
  avatarUrl,
  placeholderEmail,
  publicAvatarUrl,
  UNKNOWN_USER_AVATAR,
  UNKNOWN_USER_NAME,
  type User,
} from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import type { historyPolicies } from '#realms/realm-settings.ts'
import { isResolutionChange } from '#rules/topics.ts'

// A message: its types, its searchable features, its edit history within limits, and its form for clients. All code
// that shows messages builds them here, so that the API, events and webhooks agree.

/** A message as it is stored in the database. */
export type Message = {
  id: number
  realmId: number
  senderId: number
  /** Exactly one of `channelId` and `conversationId` is set. */
  channelId: number | null
  conversationId: number | null
  /** Empty for direct messages and for the empty topic. */
  topic: string
  /** The Markdown source. */
  content: string
  renderedContent: string
  /** The version of the renderer that produced `renderedContent`. */
  renderedVersion: number
  client: string
  sentAt: number
  /** JSON of the list of `EditEntry`, newest first; null for a message that was never edited or moved. */
  editHistory: string | null
  lastEditedAt: number | null
  lastMovedAt: number | null
}

/** A direct message conversation: notes to self, two users, or a group. */
export type DirectConversation = {
  id: number
  /** In ascending order. */
  participantIds: readonly number[]
  /** Set for groups of three and more. In a one-to-one conversation, each user sees the other's recipient id. */
  groupRecipientId: number | null
}

/** A message with its direct conversation, which never changes. */
export type MessageWithConversation = Message & {
  /** Null for channel messages. */
  directConversation: DirectConversation | null
}

/** A message with the flags of one user. */
export type UserMessage = MessageWithConversation & {
  /** Null when the user has no record of the message. */
  flags: number | null
  hasReactions: boolean
  hasSubmessages: boolean
}

export type Reaction = {
  emojiName: string
  emojiCode: string
  reactionType: ReactionType
  userId: number
}

/** `service_extra_emoji` are the built-in emoji that are not part of Unicode. */
export const reactionTypes = ['unicode_emoji', 'realm_emoji', 'service_extra_emoji'] as const

export type ReactionType = (typeof reactionTypes)[number]

export type Submessage = { id: number; messageId: number; senderId: number; msgType: string; content: string }

export type ChannelTopic = { channel: Channel; topic: string }

/** The conversation that a message belongs to: a topic of a channel, or a direct conversation. */
export type ConversationRef = ChannelTopic | { channel: null; direct: DirectConversation }

/** One edit or move of a message. The database and the API use the same form. */
export type EditEntry = {
  user_id: number
  /** Whole UNIX seconds. */
  timestamp: number
  prev_content?: string
  prev_rendered_content?: string
  prev_topic?: string
  topic?: string
  prev_stream?: number
  stream?: number
}

export type Participant = z.infer<typeof participantJson>

/** The data that is needed to show a message. */
export type MessageContext = {
  realm: Realm
  externalUrl: string
  sender: User
  senderRealm: Pick<Realm, 'subdomain'>
  /** True if the viewer may not see the sender. */
  hidesSender: boolean
  /**
   * True if the viewer is a spectator: the message comes without addresses and history, and without the ids of people
   * other than the sender.
   */
  isForSpectator: boolean
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

type HistoryPolicy = (typeof historyPolicies)[number]

/** The searchable features of a message, as bits: `has:link`, `has:image`, `has:attachment`. */
export const MessageFeature = { link: 1 << 0, image: 1 << 1, attachment: 1 << 2 } as const

/** Matches a link and captures its target; that of a link to a channel or topic, which has a class, is empty. */
const LINK = /<a (?:href="([^"]*)")?/g

const IMAGE_PATH = /\.(?:avif|bmp|gif|jpe?g|png|svg|webp)(?:[?#]|$)/i
/** Matches links to uploaded files, which count as images because of their preview and not because of their name. */
const UPLOAD_PATH = /^\/?user_uploads\//
const PREVIEW = '<div class="message_inline_image"'

/** Returns the features of a message with this HTML. */
export function messageFeaturesOf(html: string, hasAttachment: boolean): number {
  let features = hasAttachment ? MessageFeature.attachment : 0
  for (const [, url = ''] of html.matchAll(LINK)) {
    features |= MessageFeature.link
    if (IMAGE_PATH.test(url) && !UPLOAD_PATH.test(url)) features |= MessageFeature.image
  }
  return html.includes(PREVIEW) ? features | MessageFeature.image : features
}

/** Returns the entries of a stored history, newest first. */
export function parseHistory(stored: string | null): EditEntry[] {
  return stored === null ? [] : (JSON.parse(stored) as EditEntry[])
}

/** Returns true for a move. Resolving or unresolving a topic is not a move. */
export function isMove({ prev_stream, prev_topic, topic }: EditEntry): boolean {
  if (prev_stream !== undefined) return true
  return prev_topic !== undefined && topic !== undefined && !isResolutionChange(prev_topic, topic)
}

/** Returns the part of the history that the organization's policy shows. */
export function visibleHistory(entries: readonly EditEntry[], policy: HistoryPolicy): readonly EditEntry[] {
  if (policy === 'all') return entries
  if (policy === 'none') return []
  return entries
    .filter((entry) => entry.prev_topic !== undefined || entry.prev_stream !== undefined)
    .map(({ prev_content, prev_rendered_content, ...moved }) => moved)
}

/** Returns the entries, with topic names in the form that the client supports. */
export function toHistoryJson(entries: readonly EditEntry[], allowsEmptyTopic: boolean): EditEntry[] {
  return entries.map((entry) =>
    entry.prev_topic === undefined || entry.topic === undefined
      ? entry
      : {
          ...entry,
          prev_topic: displayTopic(entry.prev_topic, allowsEmptyTopic),
          topic: displayTopic(entry.topic, allowsEmptyTopic),
        },
  )
}

/** The maximum number of entries of a history, and its maximum size in bytes of JSON. */
const MAX_ENTRIES = 100
const MAX_BYTES = 2_300_000

/** A stored history that is not larger than this, in bytes, is within both limits. */
export const MAX_UNTRIMMED_BYTES = 50 * MAX_ENTRIES

/**
 * Returns the history within its limits. If it exceeds a limit, the oldest entries are merged into one, so that the
 * latest edits and the original message are kept.
 */
export function trimHistory(entries: readonly EditEntry[], maxEntries = MAX_ENTRIES): readonly EditEntry[] {
  const limit = Math.min(maxEntries, MAX_ENTRIES)
  const kept = [...entries]
  const sizes = kept.map(sizeOf)
  let size = sizes.reduce((sum, one) => sum + one, 0)
  while (kept.length > 1 && (kept.length > limit || size > MAX_BYTES)) {
    const [newer, older] = kept.splice(-2) as [EditEntry, EditEntry]
    for (const removed of sizes.splice(-2)) size -= removed
    const merged = mergeEntries(newer, older)
    if (merged === null) continue
    kept.push(merged)
    sizes.push(sizeOf(merged))
    size += sizeOf(merged)
  }
  return kept.length === entries.length ? entries : kept
}

const sizeOf = (entry: EditEntry) => Buffer.byteLength(JSON.stringify(entry)) + 1

/**
 * Merges two edits into one edit by the user who made the newer one. Returns null if the edits cancel each other out.
 */
function mergeEntries(newer: EditEntry, older: EditEntry): EditEntry | null {
  const { user_id, timestamp } = newer
  const merged: EditEntry = { ...newer, ...older, user_id, timestamp }
  if (newer.topic !== undefined) merged.topic = newer.topic
  if (newer.stream !== undefined) merged.stream = newer.stream
  if (merged.topic === merged.prev_topic) {
    delete merged.topic
    delete merged.prev_topic
  }
  if (merged.stream === merged.prev_stream) {
    delete merged.stream
    delete merged.prev_stream
  }
  return Object.keys(merged).length === 2 ? null : merged
}

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

export function toMessageJson(message: Message, given: MessageContext, format: MessageFormat): SharedMessageJson {
  const context = given.isForSpectator ? withoutPeople(given) : given
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
  if (message.editHistory !== null) addEdits(json, message, context, format)
  return json
}

/**
 * Returns the context with numbers below zero in place of the people who reacted, voted or changed a list, so that clients
 * can count them. A person has the same number in all submessages, to which options and tasks refer by it.
 */
function withoutPeople(context: MessageContext): MessageContext {
  const { sender, reactions, submessages } = context
  const numbers = new Map([[sender.id, sender.id]])
  const numberOf = (userId: number) => {
    const number = numbers.get(userId) ?? -numbers.size
    numbers.set(userId, number)
    return number
  }
  return {
    ...context,
    reactions: reactions.map((reaction, at) => ({ ...reaction, userId: -1 - at })),
    submessages: submessages.map((one) => ({
      ...one,
      senderId: numberOf(one.senderId),
      content: one.content.replace(/("key"\s*:\s*")(\d+)(?=,)/, (_, start, id) => `${start}${numberOf(Number(id))}`),
    })),
  }
}

function toSenderJson(
  { sender, senderRealm, hidesSender, isForSpectator, realm, externalUrl }: MessageContext,
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
  if (isForSpectator) {
    return {
      sender_full_name: sender.fullName,
      sender_email: placeholderEmail(sender.id, senderRealm, externalUrl),
      sender_realm_str: senderRealm.subdomain,
      avatar_url: publicAvatarUrl(sender),
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

/**
 * Adds the edit history if the organization shows it. The times of the last edit and move are always added. Spectators
 * get no history, because the message may have been in a private channel.
 */
function addEdits(
  json: SharedMessageJson,
  message: Message,
  { realm, isForSpectator }: MessageContext,
  { allowsEmptyTopic }: MessageFormat,
): void {
  const policy = isForSpectator ? 'none' : realm.settings.message_edit_history_visibility_policy
  const entries = policy === 'none' ? [] : visibleHistory(parseHistory(message.editHistory), policy)
  if (entries.length > 0) json.edit_history = toHistoryJson(entries, allowsEmptyTopic)
  if (message.lastEditedAt !== null) json.last_edit_timestamp = Math.floor(message.lastEditedAt)
  if (message.lastMovedAt !== null) json.last_moved_timestamp = Math.floor(message.lastMovedAt)
}

/** Returns the type of the extra emoji. Official Zulip clients accept only `zulip_extra_emoji`. */
export function extraEmojiType({ userAgent }: Pick<Call, 'userAgent'>): MessageFormat['extraEmojiType'] {
  return userAgent.startsWith('Zulip') ? 'zulip_extra_emoji' : 'service_extra_emoji'
}
