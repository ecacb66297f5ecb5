import { sql } from 'kysely'
import { lateralJoin } from '../../platform/storage/lateral-join.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { channelSpot, findReadMark, type Spot } from './read-marks.ts'

/** The channels and conversations in which the person may have something unread. */
export async function findSpots(db: Db, userId: number): Promise<Spot[]> {
  const channels = await db
    .selectFrom('subscriptions')
    .select('channelId')
    .where('userId', '=', userId)
    .where('unsubscribedAt', 'is', null)
    .execute()
  const conversations = await db
    .selectFrom('conversationMembers')
    .select('conversationId')
    .where('userId', '=', userId)
    .execute()
  return [
    ...channels.map(({ channelId }) => channelSpot(channelId)),
    ...conversations.map(({ conversationId }) => ({ channelId: 0, conversationId })),
  ]
}

/** The ids of what the person has not read there, or in one topic there, in ascending order. */
export async function findUnreadIds(db: Db, userId: number, spot: Spot, topicKey?: string): Promise<number[]> {
  const rows = await unreadRows(db, userId, spot, await findReadMark(db, userId, spot))
    .$if(topicKey !== undefined, (query) => query.where('topicKey', '=', topicKey ?? ''))
    .execute()
  return rows.map((row) => row.id)
}

/** The ids of what the person has not read there of one sender, in ascending order. */
export async function findUnreadIdsBySender(db: Db, userId: number, spot: Spot, senderId: number): Promise<number[]> {
  const rows = await unreadRows(db, userId, spot, await findReadMark(db, userId, spot))
    .where('senderId', '=', senderId)
    .execute()
  return rows.map((row) => row.id)
}

function unreadRows(db: Db, userId: number, spot: Spot, mark: number) {
  const records = lateralJoin<{ flags: number }>(
    db,
    'userMessages',
    ['flags'],
    sql`"userMessages"."messageId" = "messages"."id" and "userMessages"."userId" = ${userId}`,
  )
  return db
    .selectFrom('messages')
    .innerJoin(records.source.as<'userMessages'>('userMessages'), (join) => join.on(records.on))
    .select('messages.id')
    .where('messages.id', '>=', mark)
    .$if(spot.channelId !== 0, (query) => query.where('channelId', '=', spot.channelId))
    .$if(spot.conversationId !== 0, (query) => query.where('conversationId', '=', spot.conversationId))
    .where(sql<boolean>`("userMessages"."flags" & 1) = 0`)
    .orderBy('messages.id')
}
