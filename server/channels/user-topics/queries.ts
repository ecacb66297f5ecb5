import { Role } from '#rules/role.ts'
import { batches } from '#storage/batches.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { type UserTopic, VisibilityPolicy } from './user-topic.ts'

/** A topic of a channel. `topicKey` is the form by which topics are compared. */
export type TopicRef = { channelId: number; topic: string; topicKey: string }

/** Returns the topics for which the user has a policy. Topics of archived channels are left out. */
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

/** Returns the policies of these users for topics of these channels. Archived channels are left out. */
export function findPoliciesOfUsers(
  db: Db,
  channelIds: readonly number[],
  userIds: readonly number[],
): Promise<(Omit<UserTopic, 'channelName'> & { userId: number })[]> {
  return db
    .selectFrom('userTopics')
    .innerJoin('channels', 'channels.id', 'userTopics.channelId')
    .select(['userId', 'channelId', 'topic', 'visibilityPolicy', 'setAt'])
    .where('channelId', 'in', channelIds)
    .where('userId', 'in', userIds)
    .where('channels.archivedAt', 'is', null)
    .execute()
}

/** Returns the user's policy for the topic; null if they have none. */
export async function findPolicy(
  db: Db,
  userId: number,
  { channelId, topicKey }: Omit<TopicRef, 'topic'>,
): Promise<VisibilityPolicy | null> {
  const row = await db
    .selectFrom('userTopics')
    .select('visibilityPolicy')
    .where('userId', '=', userId)
    .where('channelId', '=', channelId)
    .where('topicKey', '=', topicKey)
    .executeTakeFirst()
  return (row?.visibilityPolicy ?? null) as VisibilityPolicy | null
}

/** Returns the policies for the topic by user id. If `userIds` is not null, only those of these users are returned. */
export async function findPolicies(
  db: Db,
  { channelId, topicKey }: Omit<TopicRef, 'topic'>,
  userIds: readonly number[] | null = null,
): Promise<Map<number, VisibilityPolicy>> {
  const rows = await db
    .selectFrom('userTopics')
    .select(['userId', 'visibilityPolicy'])
    .where('channelId', '=', channelId)
    .where('topicKey', '=', topicKey)
    .$if(userIds !== null, (query) => query.where('userId', 'in', userIds ?? []))
    .execute()
  return new Map(rows.map((row) => [row.userId, row.visibilityPolicy as VisibilityPolicy]))
}

/**
 * Returns the topics that these users have muted, each user's in the order of `findUserTopics`. Topics of private
 * channels that a user has left are returned only for administrators, because other users may not learn a channel's new
 * name.
 */
export async function findMutedTopics(db: Db, userIds: readonly number[]): Promise<(UserTopic & { userId: number })[]> {
  const found = []
  for (const batch of batches(userIds))
    found.push(
      ...(await db
        .selectFrom('userTopics')
        .innerJoin('channels', 'channels.id', 'userTopics.channelId')
        .innerJoin('users', 'users.id', 'userTopics.userId')
        .leftJoin('subscriptions', (join) =>
          join
            .onRef('subscriptions.userId', '=', 'userTopics.userId')
            .onRef('subscriptions.channelId', '=', 'userTopics.channelId')
            .on('subscriptions.unsubscribedAt', 'is', null),
        )
        .select([
          'userTopics.userId',
          'userTopics.channelId',
          'channels.name as channelName',
          'topic',
          'visibilityPolicy',
          'setAt',
        ])
        .where('userTopics.userId', 'in', batch)
        .where('visibilityPolicy', '=', VisibilityPolicy.muted)
        .where('channels.archivedAt', 'is', null)
        .where((is) =>
          is.or([
            is('subscriptions.channelId', 'is not', null),
            is('users.role', '<=', Role.administrator),
            is('channels.isWebPublic', '=', 1),
            is.and([is('channels.isPrivate', '=', 0), is('users.role', '<', Role.guest)]),
          ]),
        )
        .orderBy('setAt')
        .orderBy('userTopics.channelId')
        .orderBy('topicKey')
        .execute()),
    )
  return found
}

export async function saveUserTopics(
  tx: Transaction,
  userIds: readonly number[],
  { channelId, topic, topicKey }: TopicRef,
  visibilityPolicy: VisibilityPolicy,
): Promise<void> {
  const fields = { topic, visibilityPolicy, setAt: tx.now }
  for (const batch of batches(userIds))
    await tx
      .insertInto('userTopics')
      .values(batch.map((userId) => ({ userId, channelId, topicKey, ...fields })))
      .onConflict((on) => on.columns(['userId', 'channelId', 'topicKey']).doUpdateSet(fields))
      .execute()
}

export async function deleteUserTopics(
  tx: Transaction,
  userIds: readonly number[],
  { channelId, topicKey }: Omit<TopicRef, 'topic'>,
): Promise<void> {
  for (const batch of batches(userIds))
    await tx
      .deleteFrom('userTopics')
      .where('userId', 'in', batch)
      .where('channelId', '=', channelId)
      .where('topicKey', '=', topicKey)
      .execute()
}
