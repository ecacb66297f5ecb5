import type { Db } from '#storage/storage.ts'

/** A topic in the spelling of its latest message, and the id of that message. */
export type Topic = { name: string; maxId: number }

/**
 * Returns the topics of a channel. The topic with the latest message comes first. If `viewerId` is given, only messages
 * that this user received count.
 */
export async function findTopics(db: Db, channelId: number, viewerId: number | null): Promise<Topic[]> {
  let latest = db
    .selectFrom('messages')
    .select(({ fn }) => fn.max('messages.id').as('maxId'))
    .where('channelId', '=', channelId)
    .groupBy('topicKey')
  if (viewerId !== null) {
    latest = latest
      .innerJoin('userMessages', 'userMessages.messageId', 'messages.id')
      .where('userMessages.userId', '=', viewerId)
  }
  return db
    .selectFrom(latest.as('latest'))
    .innerJoin('messages', 'messages.id', 'latest.maxId')
    .select(['messages.topic as name', 'messages.id as maxId'])
    .orderBy('messages.id', 'desc')
    .execute()
}
