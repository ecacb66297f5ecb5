import { sql } from 'kysely'
import { hasContentAccess } from '../../channels/access.ts'
import type { Channel } from '../../channels/channel.ts'
import { findRealmChannels } from '../../channels/queries.ts'
import { findSubscribedIds } from '../../channels/subscription-status-queries.ts'
import { findMembershipScope } from '../../groups/membership.ts'
import type { Actor } from '../../people/users/user.ts'
import { defineCache } from '../../platform/storage/cache.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { hasProtectedHistory } from '../access.ts'
import { type Condition, isAmong } from './sql.ts'

/** What somebody may read: in which channels everything, and in which what they have received. */
export type AccessScope = {
  userId: number
  realmId: number
  whole: ReadonlySet<number>
  received: ReadonlySet<number>
}

const realmChannels = defineCache<number, readonly Channel[]>({
  dependsOn: ['channels'],
  limit: 1000,
  load: findRealmChannels,
})

/** The rules of `requireMessage` for the channels given, or for all of the organization; direct messages are in reach. */
export async function findAccessScope(
  db: Db,
  actor: Actor,
  now: number,
  channels?: readonly Channel[],
): Promise<AccessScope> {
  const scope = await findMembershipScope(db, actor, now)
  const subscribedIds = await findSubscribedIds(db, actor.id)
  const reach = { userId: actor.id, realmId: actor.realmId, whole: new Set<number>(), received: new Set<number>() }
  for (const channel of channels ?? (await realmChannels.get(db, actor.realmId))) {
    if (channel.realmId !== actor.realmId) continue
    if (!hasContentAccess(scope, actor, channel, subscribedIds.has(channel.id))) continue
    if (hasProtectedHistory(channel)) reach.received.add(channel.id)
    else reach.whole.add(channel.id)
  }
  return reach
}

/** Whether the message may be read: what does not fulfil this is shown in no list, and counted in none. */
export function isInScope(db: Db, { realmId, whole, received }: AccessScope): Condition {
  // The plus keeps the database from walking through all messages of the organization for it.
  return sql<boolean>`+"messages"."realmId" = ${realmId} and case
    when "messages"."conversationId" is not null then "userMessages"."flags" is not null
    when ${isAmong(db, 'messages.channelId', whole)} then 1 = 1
    when ${isAmong(db, 'messages.channelId', received)} then "userMessages"."flags" is not null
    else 1 = 0 end`
}
