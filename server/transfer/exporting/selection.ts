import { sql } from 'kysely'
import type { Channel } from '#channels/channel.ts'
import { type Condition, isAmong, matchesNothing } from '#messages/narrow.ts'
import type { User } from '#people/users.ts'
import type { Db } from '#storage/storage.ts'
import type { ExportScope } from '../data-exports.ts'
import { findActiveSubscriptions } from './queries.ts'

export type Selection = {
  channels: readonly Channel[]
  /** Returns whether the user's settings and personal data are exported. */
  hasPrivateDataOf(userId: number): boolean
  hasConversation(participantIds: readonly number[]): boolean
  /** Matches the exported rows of "messages". */
  messages: Condition
  /** Matches the exported rows of "userMessages". */
  records: Condition
}

const matchesAll: Condition = sql<boolean>`1 = 1`

export async function selectParts(
  db: Db,
  scope: ExportScope,
  { realmId, users, channels }: { realmId: number; users: readonly User[]; channels: readonly Channel[] },
): Promise<Selection> {
  if (scope === 'everything')
    return {
      channels,
      hasPrivateDataOf: () => true,
      hasConversation: () => true,
      messages: matchesAll,
      records: matchesAll,
    }
  const consenting = scope === 'public' ? new Set<number>() : consentingIds(users)
  const subscribed = new Set(
    (await findActiveSubscriptions(db, realmId))
      .filter(({ userId }) => consenting.has(userId))
      .map(({ channelId }) => channelId),
  )
  const exported = channels.filter(({ id, isPrivate }) => !isPrivate || subscribed.has(id))
  return {
    channels: exported,
    hasPrivateDataOf: (userId) => consenting.has(userId),
    hasConversation: (participantIds) => participantIds.some((id) => consenting.has(id)),
    messages: messagesIn(db, exported, consenting),
    records: consenting.size === 0 ? matchesNothing : isAmong(db, 'userMessages.userId', consenting),
  }
}

/** Returns the users who consent, and their bots. */
function consentingIds(users: readonly User[]): Set<number> {
  const byId = new Map(users.map((user) => [user.id, user]))
  const consents = ({ settings }: User) => settings.allow_private_data_export
  return new Set(users.filter((user) => consents(byId.get(user.botOwnerId ?? 0) ?? user)).map(({ id }) => id))
}

/**
 * Matches what the consenting users can read: all messages of channels with a shared history, and otherwise the
 * messages that one of these users received. In a private channel, that user must still be subscribed.
 */
function messagesIn(db: Db, channels: readonly Channel[], consenting: ReadonlySet<number>): Condition {
  const idsOf = (some: readonly Channel[]) => some.map(({ id }) => id)
  const [open, limited] = [
    channels.filter(({ isPrivate, isHistoryShared }) => !isPrivate || isHistoryShared),
    channels.filter(({ isPrivate, isHistoryShared }) => isPrivate && !isHistoryShared),
  ]
  const isOpen = isAmong(db, 'messages.channelId', idsOf(open))
  if (consenting.size === 0) return isOpen
  const isReceived = sql<boolean>`exists (
    select 1 from "userMessages" as "received"
    where "received"."messageId" = "messages"."id" and ${isAmong(db, 'received.userId', consenting)} and (
      "messages"."conversationId" is not null or (
        ${isAmong(db, 'messages.channelId', idsOf(limited))} and exists (
          select 1 from "subscriptions"
          where "subscriptions"."userId" = "received"."userId"
          and "subscriptions"."channelId" = "messages"."channelId" and "subscriptions"."unsubscribedAt" is null
        )
      )
    )
  )`
  return sql<boolean>`(${isOpen} or ${isReceived})`
}
