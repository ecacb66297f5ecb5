import { sql } from 'kysely'
import { readNotifications, type Subscription } from '#channels/subscriptions.ts'
import type { BotService } from '#people/bots.ts'
import { defineCache } from '#storage/cache.ts'
import type { Db } from '#storage/storage.ts'

/** A current or former subscription of a user. */
export type ChannelMembership = { isSubscribed: boolean; subscription: Omit<Subscription, 'userId'> }

/** Returns the user's current and former subscriptions by channel id. */
export async function findEverySubscription(db: Db, userId: number): Promise<Map<number, ChannelMembership>> {
  const rows = await db
    .selectFrom('subscriptions')
    .select(['channelId', 'color', 'isMuted', 'isPinned', 'settings', 'unsubscribedAt'])
    .where('userId', '=', userId)
    .execute()
  return new Map(
    rows.map(({ channelId, color, isMuted, isPinned, settings, unsubscribedAt }) => [
      channelId,
      {
        isSubscribed: unsubscribedAt === null,
        subscription: {
          channelId,
          color,
          isMuted: isMuted === 1,
          isPinned: isPinned === 1,
          notifications: readNotifications(settings),
        },
      },
    ]),
  )
}

/** An SQL expression that collects user ids into a JSON list, in ascending order. */
const idList = {
  sqlite: sql<string>`json_group_array("userId" order by "userId")`,
  postgres: sql<string>`json_agg("userId" order by "userId")::text`,
}

const subscribersByRealm = defineCache<number, ReadonlyMap<number, readonly number[]>>({
  dependsOn: ['subscriptions', 'users'],
  limit: 20,
  async load(db, realmId) {
    const rows = await db
      .selectFrom('subscriptions')
      .innerJoin('users', 'users.id', 'subscriptions.userId')
      .select(['channelId', idList[db.dialect].as('ids')])
      .where('users.realmId', '=', realmId)
      .where('subscriptions.unsubscribedAt', 'is', null)
      .where('users.deactivatedAt', 'is', null)
      .groupBy('channelId')
      .execute()
    return new Map(rows.map((row) => [row.channelId, JSON.parse(row.ids) as number[]]))
  },
})

/**
 * Returns the ids of all active subscribers by channel id, in ascending order. Channels without subscribers are left
 * out.
 */
export function findSubscribersOfAll(
  db: Db,
  realmId: number,
): ReadonlyMap<number, readonly number[]> | Promise<ReadonlyMap<number, readonly number[]>> {
  return subscribersByRealm.get(db, realmId)
}

/** Returns the services of the organization's outgoing-webhook bots by bot id. */
export async function findBotServices(db: Db, realmId: number): Promise<Map<number, BotService>> {
  const rows = await db
    .selectFrom('botServices')
    .innerJoin('users', 'users.id', 'botServices.botId')
    .select(['botId', 'payloadUrl', 'interface', 'token'])
    .where('realmId', '=', realmId)
    .execute()
  return new Map(rows.map(({ botId, ...service }) => [botId, service]))
}

/** Returns the ids of the user's starred messages, ascending. */
export async function findStarredIds(db: Db, userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('userMessages')
    .select('messageId')
    .where('userId', '=', userId)
    // This expression must be the same as in the index.
    .where(sql<boolean>`("flags" & 2) <> 0`)
    .orderBy('messageId')
    .execute()
  return rows.map((row) => row.messageId)
}

/** Returns the user's direct conversations that have messages, with the newest message of each. */
export async function findConversationsOf(
  db: Db,
  userId: number,
): Promise<{ participantIds: number[]; newestId: number }[]> {
  const rows = await db
    .selectFrom('conversationMembers')
    .innerJoin('conversations', 'conversations.id', 'conversationMembers.conversationId')
    .select('participantsKey')
    .select(({ selectFrom }) =>
      selectFrom('messages')
        .select('id')
        .whereRef('messages.conversationId', '=', 'conversations.id')
        .orderBy('id', 'desc')
        .limit(1)
        .as('newestId'),
    )
    .where('userId', '=', userId)
    .execute()
  return rows.flatMap(({ participantsKey, newestId }) =>
    newestId === null ? [] : { participantIds: participantsKey.split(',').map(Number), newestId },
  )
}
