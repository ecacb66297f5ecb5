import type { AlertWordTables } from './tables/alert-words.ts'
import type { BotStorageTables } from './tables/bot-storage.ts'
import type { ChannelTables } from './tables/channels.ts'
import type { DigestTables } from './tables/digests.ts'
import type { DraftTables } from './tables/drafts.ts'
import type { EventQueueTables } from './tables/event-queues.ts'
import type { EventTables } from './tables/events.ts'
import type { GroupTables } from './tables/groups.ts'
import type { InvitationTables } from './tables/invitations.ts'
import type { LinkPreviewTables } from './tables/link-previews.ts'
import type { MailTables } from './tables/mail.ts'
import type { MessageTables } from './tables/messages.ts'
import type { MuteTables } from './tables/mutes.ts'
import type { PresenceTables } from './tables/presence.ts'
import type { ProfileTables } from './tables/profiles.ts'
import type { PushNoticeTables } from './tables/push-notices.ts'
import type { PushTokenTables } from './tables/push-tokens.ts'
import type { RealmTables } from './tables/realms.ts'
import type { ScheduledMessageTables } from './tables/scheduled-messages.ts'
import type { SessionTables } from './tables/sessions.ts'
import type { SetupTables } from './tables/setup.ts'
import type { SnippetTables } from './tables/snippets.ts'
import type { StatusTables } from './tables/statuses.ts'
import type { StorageTables } from './tables/storage.ts'
import type { SubscriptionTables } from './tables/subscriptions.ts'
import type { UserTopicTables } from './tables/user-topics.ts'
import type { UserTables } from './tables/users.ts'
import type { WebhookCallTables } from './tables/webhook-calls.ts'

/** All tables, by the folder that owns them. Only that folder writes them, and `tables/<folder>.ts` describes them. */
export type Tables = RealmTables &
  UserTables &
  SessionTables &
  ProfileTables &
  GroupTables &
  ChannelTables &
  SubscriptionTables &
  MuteTables &
  UserTopicTables &
  MessageTables &
  LinkPreviewTables &
  WebhookCallTables &
  PresenceTables &
  AlertWordTables &
  DigestTables &
  DraftTables &
  ScheduledMessageTables &
  SnippetTables &
  BotStorageTables &
  PushNoticeTables &
  PushTokenTables &
  InvitationTables &
  StatusTables &
  MailTables &
  SetupTables &
  EventTables &
  EventQueueTables &
  StorageTables

export type TableName = keyof Tables
