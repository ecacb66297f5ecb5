import type { Generated } from 'kysely'
import type { Bit, Json } from './columns.ts'

export type MessageTables = {
  /** The participants of a direct-message conversation: one person (notes to oneself), two, or a group. */
  conversations: {
    id: Generated<number>
    realmId: number
    /** Of groups of three and more. One to one, each side sees the other's own recipient id. */
    recipientId: number | null
    /** The participants' ids in ascending order, joined by commas: unique in its organization. */
    participantsKey: string
  }

  conversationMembers: { conversationId: number; userId: number }

  messages: {
    /** In the order of commits. SQLite gives it; on PostgreSQL it comes from `counters`. */
    id: Generated<number>
    realmId: number
    senderId: number
    /** Exactly one of the two is set. */
    channelId: number | null
    conversationId: number | null
    /** Empty for direct messages and for the topic without a name. */
    topic: string
    /** The topic in lower case: topics are compared without regard to case. */
    topicKey: string
    /** Markdown, as it was sent. */
    content: string
    renderedContent: string
    /** Which version of the renderer made `renderedContent`. */
    renderedVersion: number
    client: string
    sentAt: number
    /** Edits and moves, newest first; null while there were none. */
    editHistory: Json | null
    lastEditedAt: number | null
    lastMovedAt: number | null
    /** A set of bits: messages/content/holdings.ts. */
    holdings: Generated<number>
  }

  /** The words of each message, by its id: for full-text search alone, and not to be read. Rows go with their messages. */
  messageWords: { rowid: number; words: string }

  /** One row for each person that a message was delivered to. */
  userMessages: {
    userId: number
    messageId: number
    /** A set of bits: messages/flags/flag.ts. */
    flags: number
  }

  /** Messages that somebody was away for, and is to be told of by mail; a row goes when the mail is in the outbox. */
  missedMessages: { userId: number; messageId: number; dueAt: number }

  /** All that somebody has not read in a channel, or in a conversation, has this id or a higher one. */
  readMarks: {
    /** 0 for conversations. */
    channelId: number
    /** 0 for channels. */
    conversationId: number
    userId: number
    messageId: number
  }

  reactions: {
    id: Generated<number>
    messageId: number
    userId: number
    emojiName: string
    emojiCode: string
    reactionType: string
  }

  submessages: { id: Generated<number>; messageId: number; senderId: number; msgType: string; content: string }

  /** An uploaded file; its bytes lie where its path says. */
  attachments: {
    id: Generated<number>
    realmId: number
    ownerId: number
    /** Where its bytes lie, and the middle of its URL: organization, shard, secret. */
    place: string
    /** The end of its URL: its name, without what does not belong into one. */
    fileName: string
    /** As its owner called it. */
    name: string
    /** In bytes. */
    size: number
    createdAt: number
    /** Since when no message links to it; null while one does. */
    unclaimedAt: number | null
    /** Of pictures, as they are to be shown; null for all other files. */
    imageType: string | null
    imageWidth: number | null
    imageHeight: number | null
    isAnimated: Bit
  }

  /** Which messages link to which files. */
  attachmentClaims: { messageId: number; attachmentId: number }
}
