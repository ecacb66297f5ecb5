import { sql } from 'kysely'
import { lateralJoin } from '#storage/lateral-join.ts'
import type { Db } from '#storage/storage.ts'
import { channelContainer, findReadMark, type MessageContainer } from './read-marks.ts'

/** Returns the channels and direct conversations in which the user may have unread messages. */
export async function findContainers(db: Db, userId: number): Promise<MessageContainer[]> {
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
    ...channels.map(({ channelId }) => channelContainer(channelId)),
    ...conversations.map(({ conversationId }) => ({ channelId: 0, conversationId })),
  ]
}

/** Returns the ids of the user's unread messages in the container, or in one of its topics, in ascending order. */
export async function findUnreadIds(
  db: Db,
  userId: number,
  container: MessageContainer,
  topicKey?: string,
): Promise<number[]> {
  const rows = await unreadRows(db, userId, container, await findReadMark(db, userId, container))
    .$if(topicKey !== undefined, (query) => query.where('topicKey', '=', topicKey ?? ''))
    .execute()
  return rows.map((row) => row.id)
}

/** Returns the ids of the user's unread messages in the container from one sender, in ascending order. */
export async function findUnreadIdsBySender(
  db: Db,
  userId: number,
  container: MessageContainer,
  senderId: number,
): Promise<number[]> {
  const rows = await unreadRows(db, userId, container, await findReadMark(db, userId, container))
    .where('senderId', '=', senderId)
    .execute()
  return rows.map((row) => row.id)
}

function unreadRows(db: Db, userId: number, container: MessageContainer, mark: number) {
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
    .$if(container.channelId !== 0, (query) => query.where('channelId', '=', container.channelId))
    .$if(container.conversationId !== 0, (query) => query.where('conversationId', '=', container.conversationId))
    .where(sql<boolean>`("userMessages"."flags" & 1) = 0`)
    .orderBy('messages.id')
}
