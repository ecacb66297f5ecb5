import type { Db, Transaction } from '../storage/storage.ts'
import type { UserTopic } from './user-topic.ts'

/** A topic of a channel; `topicKey` is the topic as topics are compared. */
export type Thread = { channelId: number; topic: string; topicKey: string }

/** The topics that the user has a policy for, but for those of archived channels. */
export function findUserTopics(db: Db, userId: number): Promise<UserTopic[]> {
  return db
    .selectFrom('userTopics')
    .innerJoin('channels', 'channels.id', 'userTopics.channelId')
    .select(['channelId', 'channels.name as channelName', 'topic', 'visibilityPolicy', 'setAt'])
    .where('userId', '=', userId)
    .where('channels.archivedAt', 'is', null)
    .orderBy('setAt')
    .orderBy('channelId')
    .orderBy('topicKey')
    .execute()
}

/** The policy that the user has for the topic; null when they have none. */
export async function findPolicy(
  db: Db,
  userId: number,
  { channelId, topicKey }: Omit<Thread, 'topic'>,
): Promise<number | null> {
  const row = await db
    .selectFrom('userTopics')
    .select('visibilityPolicy')
    .where('userId', '=', userId)
    .where('channelId', '=', channelId)
    .where('topicKey', '=', topicKey)
    .executeTakeFirst()
  return row?.visibilityPolicy ?? null
}

export async function saveUserTopic(
  tx: Transaction,
  userId: number,
  { channelId, topic, topicKey }: Thread,
  visibilityPolicy: number,
): Promise<void> {
  const fields = { topic, visibilityPolicy, setAt: tx.now }
  await tx
    .insertInto('userTopics')
    .values({ userId, channelId, topicKey, ...fields })
    .onConflict((on) => on.columns(['userId', 'channelId', 'topicKey']).doUpdateSet(fields))
    .execute()
}

export async function endUserTopic(
  tx: Transaction,
  userId: number,
  { channelId, topicKey }: Omit<Thread, 'topic'>,
): Promise<void> {
  await tx
    .deleteFrom('userTopics')
    .where('userId', '=', userId)
    .where('channelId', '=', channelId)
    .where('topicKey', '=', topicKey)
    .execute()
}
