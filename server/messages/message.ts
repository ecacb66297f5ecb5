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
