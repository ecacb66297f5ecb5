/** A message, as it is stored. */
export type Message = {
  id: number
  realmId: number
  senderId: number
  /** Exactly one of the two is set. */
  channelId: number | null
  conversationId: number | null
  /** Empty for direct messages and for the topic without a name. */
  topic: string
  /** Markdown, as it was sent. */
  content: string
  renderedContent: string
  /** Which version of the renderer made `renderedContent`. */
  renderedVersion: number
  client: string
  sentAt: number
  /** JSON of its `EditEntry`s, newest first; null while there were none. */
  editHistory: string | null
  lastEditedAt: number | null
  lastMovedAt: number | null
}

/** A direct-message conversation: one person's notes to themselves, two people, or a group. */
export type DirectConversation = {
  id: number
  /** In ascending order. */
  participantIds: readonly number[]
  /** Of groups of three and more; one to one, each side sees the other's own recipient id. */
  groupRecipientId: number | null
}

/** A message with what does not change of where it stands. */
export type MessageWithConversation = Message & {
  /** Null for channel messages. */
  directConversation: DirectConversation | null
}

/** A message as one person finds it. */
export type UserMessage = MessageWithConversation & {
  /** The person's flags; null when they have no record of the message. */
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

/** `service_extra_emoji` are the emoji that every organization has beside Unicode's. */
export const reactionTypes = ['unicode_emoji', 'realm_emoji', 'service_extra_emoji'] as const

export type ReactionType = (typeof reactionTypes)[number]

export type Submessage = { id: number; messageId: number; senderId: number; msgType: string; content: string }
