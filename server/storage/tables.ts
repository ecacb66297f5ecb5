import type { ChannelTables, SubscriptionTables, UserTopicTables } from './tables/channels.ts'
import type { EventQueueTables, EventTables, StorageTables } from './tables/events.ts'
import type { InvitationTables } from './tables/invitations.ts'
import type {
  DraftTables,
  LegalHoldTables,
  LinkPreviewTables,
  MessageTables,
  ScheduledMessageTables,
  SnippetTables,
} from './tables/messages.ts'
import type {
  DigestTables,
  MailInTables,
  MailTables,
  MobilePushTables,
  PushNoticeTables,
  PushTokenTables,
  WebhookCallTables,
} from './tables/notifications.ts'
import type { RealmTables, SetupTables } from './tables/realms.ts'
import type {
  AlertWordTables,
  BotStorageTables,
  ErasureTables,
  GroupTables,
  IncomingWebhookTables,
  MuteTables,
  PresenceTables,
  ProfileTables,
  ScimTables,
  SecondFactorTables,
  SessionTables,
  SignInTables,
  StatusTables,
  UserTables,
} from './tables/users.ts'

// All tables of the database, with the types of their rows. Each table belongs to one subject; only the module of
// that subject writes it.

/** All tables by the subject that owns them. Only the module of that subject writes them. */
export type Tables = RealmTables &
  UserTables &
  SessionTables &
  SecondFactorTables &
  ErasureTables &
  SignInTables &
  ProfileTables &
  ScimTables &
  GroupTables &
  ChannelTables &
  SubscriptionTables &
  MuteTables &
  UserTopicTables &
  MessageTables &
  LegalHoldTables &
  LinkPreviewTables &
  WebhookCallTables &
  PresenceTables &
  AlertWordTables &
  DigestTables &
  DraftTables &
  ScheduledMessageTables &
  SnippetTables &
  BotStorageTables &
  IncomingWebhookTables &
  MobilePushTables &
  PushNoticeTables &
  PushTokenTables &
  InvitationTables &
  StatusTables &
  MailTables &
  MailInTables &
  SetupTables &
  EventTables &
  EventQueueTables &
  StorageTables

export type TableName = keyof Tables

/** The names of all tables as keys, so that a missing name does not compile. */
const tables: Record<TableName, true> = {
  realms: true,
  realmRedirects: true,
  organizationDatabases: true,
  organizationMoves: true,
  realmDomains: true,
  realmEmoji: true,
  linkifiers: true,
  messageDays: true,
  auditEntries: true,
  dataExports: true,
  recipients: true,
  users: true,
  apiKeys: true,
  apiKeyUses: true,
  emailChangeRequests: true,
  knownPlaces: true,
  sessions: true,
  totpSecrets: true,
  secondFactorNotices: true,
  passkeys: true,
  recoveryCodes: true,
  usedChallenges: true,
  trustedBrowsers: true,
  erasures: true,
  externalIdentities: true,
  pendingSignIns: true,
  signInProviders: true,
  setupLinks: true,
  botServices: true,
  botCommands: true,
  webhookCalls: true,
  outgoingDeliveries: true,
  linkPreviewRequests: true,
  userGroups: true,
  userGroupMembers: true,
  userGroupSubgroups: true,
  scimTokens: true,
  scimUsers: true,
  scimGroups: true,
  channels: true,
  defaultChannels: true,
  subscriptions: true,
  conversations: true,
  conversationMembers: true,
  messageWords: true,
  messages: true,
  legalHolds: true,
  heldMessages: true,
  heldFiles: true,
  userMessages: true,
  missedMessages: true,
  digests: true,
  sentLocalIds: true,
  readMarks: true,
  reactions: true,
  submessages: true,
  presences: true,
  presenceCeilings: true,
  activityIntervals: true,
  invitations: true,
  invitationCounts: true,
  inviterCounts: true,
  mails: true,
  mailAttempts: true,
  mailRefusals: true,
  channelAddresses: true,
  replyAddresses: true,
  events: true,
  audiences: true,
  eventQueues: true,
  counters: true,
  installation: true,
  mutedUsers: true,
  userTopics: true,
  userStatuses: true,
  hiddenPresences: true,
  alertWords: true,
  drafts: true,
  scheduledMessages: true,
  savedSnippets: true,
  botStorage: true,
  webhookSecrets: true,
  zoomTokens: true,
  webhookNotices: true,
  webhookDeliveries: true,
  pushTokens: true,
  pushSubscriptions: true,
  pushNotices: true,
  mobilePushes: true,
  defaultUserSettings: true,
  playgrounds: true,
  profileFields: true,
  profileValues: true,
  attachments: true,
  attachmentClaims: true,
}

/** The names of all tables. */
export const tableNames = Object.keys(tables) as TableName[]
