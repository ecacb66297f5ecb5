import type { Generated } from 'kysely'
import type { Bit, Json } from './columns.ts'

export type MessageTables = {
  /** The participants of a direct conversation: one person (notes to self), two, or a group. */
  conversations: {
    id: Generated<number>
    realmId: number
    /** Set only for groups of three or more. In a conversation of two, each side sees the recipient id of the other. */
    recipientId: number | null
    /** The ids of the participants in ascending order, joined by commas; unique in its organization. */
    participantsKey: string
  }

  conversationMembers: { conversationId: number; userId: number }

  messages: {
    /** The ids follow the order of commits. SQLite allocates them itself; on PostgreSQL they come from `counters`. */
    id: Generated<number>
    realmId: number
    senderId: number
    /** Exactly one of `channelId` and `conversationId` is set. */
    channelId: number | null
    conversationId: number | null
    /** Empty for direct messages and for the empty topic. */
    topic: string
    /** The topic in lower case, because topics are compared case-insensitively. */
    topicKey: string
    /** Markdown, as it was sent. */
    content: string
    renderedContent: string
    /** The version of the renderer that made `renderedContent`. */
    renderedVersion: number
    client: string
    sentAt: number
    /** Edits and moves, newest first; null if there were none. */
    editHistory: Json | null
    lastEditedAt: number | null
    lastMovedAt: number | null
    /** A set of bits, defined in messages/queries.ts. */
    holdings: Generated<number>
  }

  /**
   * The words of each message, for full-text search only; the text cannot be read. `rowid` is the id of the message.
   * Rows are deleted with their messages.
   */
  messageWords: { rowid: number; words: string }

  /** One row for each user who received the message. */
  userMessages: {
    userId: number
    messageId: number
    /** A set of bits, defined in messages/flags.ts. */
    flags: number
  }

  /**
   * Messages that were sent while a user was away and will be reported by email; the row is deleted when the email is
   * in the outbox.
   */
  missedMessages: { userId: number; messageId: number; dueAt: number }

  /** The random ids that clients gave the messages they sent, so that a repeated request sends nothing twice. */
  sentLocalIds: {
    userId: number
    localId: string
    /** 0 until the same transaction saves the message. The message may have been deleted since. */
    messageId: number
    sentAt: number
  }

  /** All unread messages of a user in a channel or conversation have this id or a higher one. */
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

  /** An uploaded file; its bytes are stored under its path. */
  attachments: {
    id: Generated<number>
    realmId: number
    ownerId: number
    /** The path of the file's bytes and the middle of its URL. It consists of organization, shard and secret. */
    place: string
    /** The end of the file's URL: the name without unsuitable characters. */
    fileName: string
    /** The original name. */
    name: string
    /** In bytes. */
    size: number
    createdAt: number
    /** The time since which no message links to it; null while a message does. */
    unclaimedAt: number | null
    /** The properties of an image as it is displayed; null for all other files. */
    imageType: string | null
    imageWidth: number | null
    imageHeight: number | null
    isAnimated: Bit
  }

  /** The links from messages to files. */
  attachmentClaims: { messageId: number; attachmentId: number }
}

export type LegalHoldTables = {
  /** While a hold lasts, copies of deleted messages and files stay. It covers the organization if both ids are null. */
  legalHolds: {
    id: Generated<number>
    realmId: number
    userId: number | null
    channelId: number | null
    reason: string
    startedAt: number
  }

  /** Copies of deleted messages. */
  heldMessages: {
    messageId: number
    realmId: number
    senderId: number
    channelId: number | null
    participantsKey: string | null
    topic: string
    content: string
    editHistory: Json | null
    sentAt: number
    deletedAt: number
  }

  /** Files whose bytes are kept: deleted ones, and those to which an edited message no longer links. */
  heldFiles: {
    place: string
    realmId: number
    ownerId: number
    fileName: string
    name: string
    size: number
    createdAt: number
    deletedAt: number
  }
}

export type LinkPreviewTables = {
  /** Messages with links to websites whose previews the server still has to fetch. */
  linkPreviewRequests: {
    messageId: number
    senderId: number
  }
}

export type DraftTables = {
  drafts: {
    id: Generated<number>
    userId: number
    /** `stream`, `private`, or empty while the draft has no recipient. */
    type: string
    /** The id of the channel, or the ids of the users. */
    recipientIds: Json
    topic: string
    content: string
    editedAt: number
  }
}

export type ScheduledMessageTables = {
  /** Messages that wait to be sent, and those that could not be sent; sent messages are removed. */
  scheduledMessages: {
    id: Generated<number>
    realmId: number
    senderId: number
    /** Null for direct messages. */
    channelId: number | null
    /** The ids of the recipients of a direct message, without the sender unless they write to themselves. */
    recipientIds: Json
    topic: string
    content: string
    renderedContent: string
    client: string
    isReadBySender: Bit
    dueAt: number
    failedAt: number | null
    /** Increases with each change. */
    version: number
    /**
     * For a reminder, the id of the message, which may have been deleted since. The notification bot sends it; `content`
     * is the note of the user, or empty.
     */
    reminderOf: number | null
  }
}

export type SnippetTables = {
  savedSnippets: { id: Generated<number>; userId: number; title: string; content: string; createdAt: number }
}
