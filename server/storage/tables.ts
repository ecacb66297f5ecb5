import type { Generated } from 'kysely'

// Conventions of every table: `…At` is UNIX seconds with a fraction, a `Bit` is a truth value, a `Json` column holds
// JSON text, and a column that is null while something has not happened is the moment when it did.

type Bit = 0 | 1
type Json = string

type RealmsTable = {
  id: Generated<number>
  /** Empty for the root organization. */
  subdomain: string
  name: string
  createdAt: number
  deactivatedAt: number | null
  /** The settings that differ from their defaults, by API name. */
  settings: Json
}

type RealmDomainsTable = { realmId: number; domain: string; allowSubdomains: Bit }

type RealmEmojiTable = {
  id: Generated<number>
  realmId: number
  name: string
  authorId: number
  fileName: string
  createdAt: number
  deactivatedAt: number | null
}

type LinkifiersTable = {
  id: Generated<number>
  realmId: number
  pattern: string
  urlTemplate: string
  position: number
}

/** Gives out the ids of sets of recipients: `recipient_id` on the wire. */
type RecipientsTable = { id: Generated<number>; realmId: number }

type UsersTable = {
  id: Generated<number>
  realmId: number
  recipientId: number
  /** The address as it was given. */
  deliveryEmail: string
  /** The address in lower case: unique in its organization. */
  emailKey: string
  fullName: string
  role: number
  /** 1 generic, 3 outgoing webhook, 2 incoming webhook; null for people. */
  botType: number | null
  botOwnerId: number | null
  joinedAt: number
  deactivatedAt: number | null
  /** Null for bots and for accounts without a password. */
  passwordHash: string | null
  /** The name of the uploaded picture; null while the account shows its gravatar. */
  avatarFile: string | null
  avatarVersion: number
  timezone: string
  /** The settings that differ from their defaults, by API name. */
  settings: Json
}

type ApiKeysTable = {
  id: Generated<number>
  userId: number
  /** SHA-256 of the key, in hexadecimal. */
  hash: string
  client: string
  createdAt: number
}

/** Apart from the keys, so that using a key does not touch what authentication caches. */
type ApiKeyUsesTable = { apiKeyId: number; lastUsedAt: number }

/** Where an outgoing-webhook bot has messages sent to. */
type BotServicesTable = { botId: number; payloadUrl: string; interface: number }

type UserGroupsTable = {
  id: Generated<number>
  realmId: number
  name: string
  description: string
  /** `role:…` for the eight groups whose members follow from their roles; null for groups that people made. */
  systemName: string | null
  creatorId: number | null
  createdAt: number
  deactivatedAt: number | null
  /** The group's permission settings that differ from their defaults, by API name. */
  settings: Json
}

type UserGroupMembersTable = { groupId: number; userId: number }

type UserGroupSubgroupsTable = { groupId: number; subgroupId: number }

type ChannelsTable = {
  id: Generated<number>
  realmId: number
  recipientId: number
  name: string
  /** The name in lower case: unique in its organization. */
  nameKey: string
  description: string
  renderedDescription: string
  isPrivate: Bit
  isWebPublic: Bit
  /** Whether a subscriber may read what was sent before they came. */
  isHistoryShared: Bit
  creatorId: number | null
  createdAt: number
  archivedAt: number | null
  messageRetentionDays: number | null
  /** The permission settings that differ from their defaults, by API name. */
  settings: Json
}

type DefaultChannelsTable = { realmId: number; channelId: number }

type SubscriptionsTable = {
  userId: number
  channelId: number
  color: string
  isMuted: Bit
  isPinned: Bit
  /** Notification settings that differ from the user's own, by API name. */
  settings: Json
  subscribedAt: number
  /** Null while subscribed; the row stays, so that its settings return. */
  unsubscribedAt: number | null
}

/** The participants of a direct-message conversation: one person (notes to oneself), two, or a group. */
type ConversationsTable = {
  id: Generated<number>
  realmId: number
  /** Of groups of three and more. One to one, each side sees the other's own recipient id. */
  recipientId: number | null
  /** The participants' ids in ascending order, joined by commas: unique in its organization. */
  participantsKey: string
}

type ConversationMembersTable = { conversationId: number; userId: number }

type MessagesTable = {
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
  /** A set of bits: messages/holdings.ts. */
  holdings: Generated<number>
}

/** The words of each message, by its id: for full-text search alone, and not to be read. Rows go with their messages. */
type MessageWordsTable = { rowid: number; words: string }

/** One row for each person that a message was delivered to. */
type UserMessagesTable = {
  userId: number
  messageId: number
  /** A set of bits: messages/flag.ts. */
  flags: number
}

/** All that somebody has not read in a channel, or in a conversation, has this id or a higher one. */
type ReadMarksTable = {
  /** 0 for conversations. */
  channelId: number
  /** 0 for channels. */
  conversationId: number
  userId: number
  messageId: number
}

type ReactionsTable = {
  id: Generated<number>
  messageId: number
  userId: number
  emojiName: string
  emojiCode: string
  reactionType: string
}

type SubmessagesTable = { id: Generated<number>; messageId: number; senderId: number; msgType: string; content: string }

type PresencesTable = {
  userId: number
  realmId: number
  lastActiveAt: number | null
  lastConnectedAt: number | null
  updateId: number
}

/** No update id above the ceiling was ever given out. */
type PresenceCeilingsTable = { realmId: number; ceiling: number }

/** When people used their clients, for usage statistics. */
type ActivityIntervalsTable = { userId: number; startedAt: number; endedAt: number }

type InvitationsTable = {
  id: Generated<number>
  realmId: number
  inviterId: number
  email: string
  emailKey: string
  role: number
  createdAt: number
  /** When it was sent last: a resend starts its life-time again. */
  sentAt: number
  /** Null: it never expires. */
  lifetimeMinutes: number | null
  expiresAt: number | null
  /** What the link's key is derived from, together with a secret of the server; in hexadecimal. */
  keySeed: string
  /** SHA-256 of the key, by which a link is looked up. */
  keyHash: string
  channelIds: Json
  groupIds: Json
  includesDefaultChannels: Bit
  notifiesInviter: Bit
  /** When the link was ended, and by what: `accepted`, `revoked` or `superseded`. */
  endedAt: number | null
  endedAs: string | null
}

/** How many invitations an organization mailed on a UTC day (days since 1970). */
type InvitationCountsTable = { realmId: number; day: number; count: number }

type MailsTable = {
  id: Generated<number>
  realmId: number | null
  recipient: string
  /** The recipient in lower case. */
  recipientKey: string
  /** Which letter, and what it is filled with: rendered when sent or shown, so that no link lies at rest. */
  letter: string
  data: Json
  invitationId: number | null
  /** What stands before the @ in the Message-ID header: the same at each attempt. */
  messageId: string
  createdAt: number
  /** `queued`, `sent`, `failed`, `cancelled` or `kept` (there is no relay; it can be read in the outbox). */
  state: string
  /** When it is due, at first or again; a mail that is not queued has none. */
  dueAt: number | null
  attempts: number
  /** The relay's last words, or the error that stood in their way. */
  reply: string | null
  endedAt: number | null
}

type EventsTable = {
  realmId: number
  /** In the order of commits within the organization, from `counters`. */
  id: number
  createdAt: number
  type: string
  payload: Json
  /** The ids of the users who hear of it, fixed at commit. */
  audience: Json
}

/** Where a client is in its organization's events, and what it wants to hear. */
type EventQueuesTable = {
  /** Opaque to clients, and not to be guessed. */
  id: string
  realmId: number
  userId: number
  registeredAt: number
  /** The last event before the queue began. */
  startId: number
  /** Its client has all events up to here. */
  acknowledgedId: number
  polledAt: number
  /** How long it may go without a poll, in seconds. */
  lifespan: number
  /** What the client registered: sync/queue.ts. */
  form: Json
  /** Whether messages of all public channels go into it. */
  hearsAllPublic: Bit
}

/** Ids in the order of commits: the row is updated late in its transaction, and its lock held until the commit. */
type CountersTable = { name: string; value: number }

/** Facts about the installation: its secret, the epoch of its event queues. */
type InstallationTable = { name: string; value: string }

type MutedUsersTable = { mutedUserId: number; userId: number; mutedAt: number }

/** Topics that somebody mutes, unmutes or follows. */
type UserTopicsTable = {
  userId: number
  channelId: number
  /** The topic in lower case, as in `messages`. */
  topicKey: string
  topic: string
  /** 1 muted, 2 unmuted, 3 followed. */
  visibilityPolicy: number
  setAt: number
}

type UserStatusesTable = {
  userId: number
  text: string
  /** The three are null together. */
  emojiName: string | null
  emojiCode: string | null
  reactionType: string | null
  setAt: number
}

type AlertWordsTable = {
  id: Generated<number>
  userId: number
  word: string
  /** The word in lower case: one word in any case is one. */
  wordKey: string
}

type DraftsTable = {
  id: Generated<number>
  userId: number
  /** `stream`, `private`, or empty while it is for nobody. */
  type: string
  /** The id of the channel, or those of the people. */
  recipientIds: Json
  topic: string
  content: string
  editedAt: number
}

type SavedSnippetsTable = { id: Generated<number>; userId: number; title: string; content: string; createdAt: number }

type BotStorageTable = { botId: number; key: string; value: string }

export type Tables = {
  realms: RealmsTable
  realmDomains: RealmDomainsTable
  realmEmoji: RealmEmojiTable
  linkifiers: LinkifiersTable
  recipients: RecipientsTable
  users: UsersTable
  apiKeys: ApiKeysTable
  apiKeyUses: ApiKeyUsesTable
  botServices: BotServicesTable
  userGroups: UserGroupsTable
  userGroupMembers: UserGroupMembersTable
  userGroupSubgroups: UserGroupSubgroupsTable
  channels: ChannelsTable
  defaultChannels: DefaultChannelsTable
  subscriptions: SubscriptionsTable
  conversations: ConversationsTable
  conversationMembers: ConversationMembersTable
  messageWords: MessageWordsTable
  messages: MessagesTable
  userMessages: UserMessagesTable
  readMarks: ReadMarksTable
  reactions: ReactionsTable
  submessages: SubmessagesTable
  presences: PresencesTable
  presenceCeilings: PresenceCeilingsTable
  activityIntervals: ActivityIntervalsTable
  invitations: InvitationsTable
  invitationCounts: InvitationCountsTable
  mails: MailsTable
  events: EventsTable
  eventQueues: EventQueuesTable
  counters: CountersTable
  installation: InstallationTable
  mutedUsers: MutedUsersTable
  userTopics: UserTopicsTable
  userStatuses: UserStatusesTable
  alertWords: AlertWordsTable
  drafts: DraftsTable
  savedSnippets: SavedSnippetsTable
  botStorage: BotStorageTable
}

export type TableName = keyof Tables
