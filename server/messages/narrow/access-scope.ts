import { sql } from 'kysely'
import type { Channel } from '#channels/channel.ts'
import { findRealmChannels } from '#channels/queries.ts'
import { findSubscribedIds } from '#channels/subscription-status-queries.ts'
import type { Viewer } from '#groups/viewer.ts'
import { mayListMessages } from '#rules/channel-rules.ts'
import { defineCache } from '#storage/cache.ts'
import type { Db } from '#storage/storage.ts'
import { hasProtectedHistory } from '../access.ts'
import { type Condition, isAmong } from './sql.ts'

/**
 * The messages that a user may read: all messages of some channels, and of other channels only the messages that the
 * user received.
 */
export type AccessScope = {
  userId: number
  realmId: number
  fullAccessIds: ReadonlySet<number>
  receivedOnlyIds: ReadonlySet<number>
}

/** All channels of an organization. */
export const realmChannels = defineCache<number, readonly Channel[]>({
  dependsOn: ['channels'],
  limit: 1000,
  load: findRealmChannels,
})

/**
 * Applies the rules of `requireMessage` to these channels, or to all channels of the organization. Direct messages are
 * always included.
 */
export async function findAccessScope(viewer: Viewer, channels?: readonly Channel[]): Promise<AccessScope> {
  const { db, actor } = viewer
  const membership = await viewer.scope()
  const subscribedIds = await findSubscribedIds(db, actor.id)
  const scope = {
    userId: actor.id,
    realmId: actor.realmId,
    fullAccessIds: new Set<number>(),
    receivedOnlyIds: new Set<number>(),
  }
  for (const channel of channels ?? (await realmChannels.get(db, actor.realmId))) {
    if (channel.realmId !== actor.realmId) continue
    if (!mayListMessages(membership, actor, channel, subscribedIds.has(channel.id))) continue
    if (hasProtectedHistory(channel)) scope.receivedOnlyIds.add(channel.id)
    else scope.fullAccessIds.add(channel.id)
  }
  return scope
}

/** Matches messages that the user may read. Every query that lists or counts messages must apply it. */
export function isInScope(db: Db, { realmId, fullAccessIds, receivedOnlyIds }: AccessScope): Condition {
  // The unary plus keeps SQLite from using the index on the organization, which would scan all of its messages.
  return sql<boolean>`+"messages"."realmId" = ${realmId} and case
    when "messages"."conversationId" is not null then "userMessages"."flags" is not null
    when ${isAmong(db, 'messages.channelId', fullAccessIds)} then 1 = 1
    when ${isAmong(db, 'messages.channelId', receivedOnlyIds)} then "userMessages"."flags" is not null
    else 1 = 0 end`
}
