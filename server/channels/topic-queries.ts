import type { Db } from '../platform/storage/storage.ts'

/** A topic in the spelling of its latest message, and the id of that message. */
export type Topic = { name: string; maxId: number }

/** The topics of a channel, the one used last first; only of messages that `receiverId` received, where it is given. */
export async function findTopics(db: Db, channelId: number, receiverId: number | null): Promise<Topic[]> {
  let latest = db
    .selectFrom('messages')
    .select(({ fn }) => fn.max('messages.id').as('maxId'))
    .where('channelId', '=', channelId)
    .groupBy('topicKey')
  if (receiverId !== null) {
    latest = latest
      .innerJoin('userMessages', 'userMessages.messageId', 'messages.id')
      .where('userMessages.userId', '=', receiverId)
  }
  return db
    .selectFrom(latest.as('latest'))
    .innerJoin('messages', 'messages.id', 'latest.maxId')
    .select(['messages.topic as name', 'messages.id as maxId'])
    .orderBy('messages.id', 'desc')
    .execute()
}
