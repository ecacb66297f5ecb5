import type { UserSettings } from '#people/user-settings.ts'
import type { Actor } from '#people/users.ts'
import { Role } from '#rules/role.ts'
import { batches } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// The policies of users for topics: muted, followed and so on, set by the user or by the server after an action of
// the user. An automatic policy always shows more of a topic than the policy that it replaces. When a topic moves,
// its policies move along.

/** A user's policy for a topic: how much of it they see. `inherit` is not stored. */
export const VisibilityPolicy = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const

export type VisibilityPolicy = (typeof VisibilityPolicy)[keyof typeof VisibilityPolicy]

/** The policies that the server can set automatically. */
export type AutomaticPolicy = typeof VisibilityPolicy.unmuted | typeof VisibilityPolicy.followed

export type UserTopic = {
  channelId: number
  channelName: string
  topic: string
  visibilityPolicy: number
  setAt: number
}

/** A topic of a channel. `topicKey` is the form by which topics are compared. */
export type TopicRef = { channelId: number; topic: string; topicKey: string }

/** A user's action in a topic. Starting a topic includes sending to it, and sending includes participating. */
export type TopicAction = 'start' | 'send' | 'participate'

export function toUserTopicJson({ channelId, topic, visibilityPolicy, setAt }: Omit<UserTopic, 'channelName'>) {
  return {
    stream_id: channelId,
    topic_name: topic,
    last_updated: Math.floor(setAt),
    visibility_policy: visibilityPolicy,
  }
}

/** Returns the muted topics in the format of older clients: channel name, topic and time. */
export function toMutedTopicsJson(topics: readonly UserTopic[]): [string, string, number][] {
  return topics
    .filter((topic) => topic.visibilityPolicy === VisibilityPolicy.muted)
    .map(({ channelName, topic, setAt }) => [channelName, topic, Math.floor(setAt)])
}

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
function findPoliciesOfUsers(
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
async function findMutedTopics(db: Db, userIds: readonly number[]): Promise<(UserTopic & { userId: number })[]> {
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

async function deleteUserTopics(
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

/** Emits to users their policies for topics of channels that they can see again. */
export async function emitUserTopics(
  tx: Transaction,
  realmId: number,
  channelIds: readonly number[],
  userIds: readonly number[],
): Promise<void> {
  for (const { userId, ...policy } of await findPoliciesOfUsers(tx.db, channelIds, userIds))
    tx.emit(realmId, { type: 'user_topic', ...toUserTopicJson(policy) }, [userId])
}

type AutomaticSettings = Pick<
  UserSettings,
  'automatically_follow_topics_policy' | 'automatically_unmute_topics_in_muted_streams_policy'
>

/**
 * For each action, the values of the settings that it triggers: 1 for participating, 2 for sending, 3 for starting. 4
 * stands for never.
 */
const triggeringValues: Record<TopicAction, readonly number[]> = { participate: [1], send: [1, 2], start: [1, 2, 3] }

/**
 * Returns the user's new policy for the topic after an action, according to their settings; null if it stays the same.
 * A new policy always shows more of the topic than the current one, even if the current one is muted.
 */
export function automaticPolicy(
  settings: AutomaticSettings,
  action: TopicAction,
  { policy, isChannelMuted }: { policy: VisibilityPolicy; isChannelMuted: boolean },
): AutomaticPolicy | null {
  const values = triggeringValues[action]
  const follows = values.includes(settings.automatically_follow_topics_policy)
  const unmutes = isChannelMuted && values.includes(settings.automatically_unmute_topics_in_muted_streams_policy)
  if (follows) return policy === VisibilityPolicy.followed ? null : VisibilityPolicy.followed
  return unmutes && policy < VisibilityPolicy.unmuted ? VisibilityPolicy.unmuted : null
}

/** Returns whether the action can never change a policy, given these settings. */
export function isNeverAutomatic(settings: AutomaticSettings, action: TopicAction): boolean {
  const values = triggeringValues[action]
  return !values.some(
    (value) =>
      value === settings.automatically_follow_topics_policy ||
      value === settings.automatically_unmute_topics_in_muted_streams_policy,
  )
}

/** The policies, from most to least visible. */
const byVisibility: readonly VisibilityPolicy[] = [
  VisibilityPolicy.followed,
  VisibilityPolicy.unmuted,
  VisibilityPolicy.inherit,
  VisibilityPolicy.muted,
]

/** Returns the policy for a topic into which another topic was merged: the one that shows more. */
export function mergedPolicy(one: VisibilityPolicy, other: VisibilityPolicy): VisibilityPolicy {
  return byVisibility.indexOf(one) < byVisibility.indexOf(other) ? one : other
}

/** Sets the user's policy for the topic and emits the change. Does nothing if the policy is already set. */
export async function setPolicy(
  tx: Transaction,
  actor: Actor,
  topicRef: TopicRef,
  visibilityPolicy: VisibilityPolicy,
): Promise<void> {
  const before = await findPolicy(tx.db, actor.id, topicRef)
  await setPolicies(
    tx,
    actor.realmId,
    topicRef,
    new Map([[actor.id, before ?? VisibilityPolicy.inherit]]),
    visibilityPolicy,
  )
}

/** Sets the policy of several users like `setPolicy`. `before` contains their current policies. */
export async function setPolicies(
  tx: Transaction,
  realmId: number,
  topicRef: TopicRef,
  before: ReadonlyMap<number, VisibilityPolicy>,
  visibilityPolicy: VisibilityPolicy,
): Promise<void> {
  const changed = [...before].filter(([, policy]) => policy !== visibilityPolicy)
  if (changed.length === 0) return
  const userIds = changed.map(([userId]) => userId)
  if (visibilityPolicy === VisibilityPolicy.inherit) await deleteUserTopics(tx, userIds, topicRef)
  else await saveUserTopics(tx, userIds, topicRef, visibilityPolicy)

  const isMuted = visibilityPolicy === VisibilityPolicy.muted
  const muting = changed.filter(([, policy]) => isMuted || policy === VisibilityPolicy.muted)
  await emitMutedTopics(
    tx,
    realmId,
    muting.map(([userId]) => userId),
  )
  const { channelId, topic } = topicRef
  const now = toUserTopicJson({ channelId, topic, visibilityPolicy, setAt: tx.now })
  tx.emit(realmId, { type: 'user_topic', ...now }, userIds)
}

/** Emits `muted_topics` events for older clients, which support only muted topics. */
async function emitMutedTopics(tx: Transaction, realmId: number, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return
  const muted = Map.groupBy(await findMutedTopics(tx.db, userIds), ({ userId }) => userId)
  const lists = userIds.map((userId) => ({ userId, topics: toMutedTopicsJson(muted.get(userId) ?? []) }))
  for (const equalLists of Map.groupBy(lists, ({ topics }) => JSON.stringify(topics)).values()) {
    tx.emit(
      realmId,
      { type: 'muted_topics', muted_topics: equalLists[0]?.topics ?? [] },
      equalLists.map(({ userId }) => userId),
    )
  }
}

type TopicMove = {
  from: TopicRef
  to: TopicRef
  /**
   * True if the target topic has messages. If a user has a policy for each topic, the one that shows more then applies.
   */
  isMerge: boolean
  /** The users who may read the target topic. All others lose their policy. Null if the topic stays in its channel. */
  readerIds: ReadonlySet<number> | null
}

/** Moves all users' policies for the topic `from` to the topic `to`, and emits the changes. */
export async function movePolicies(
  tx: Transaction,
  realmId: number,
  { from, to, isMerge, readerIds }: TopicMove,
): Promise<void> {
  const fromPolicies = await findPolicies(tx.db, from)
  const toPolicies = await findPolicies(tx.db, to)
  await setPolicies(tx, realmId, from, fromPolicies, VisibilityPolicy.inherit)

  const policyAtTarget = (userId: number) => toPolicies.get(userId) ?? VisibilityPolicy.inherit
  const policyAfter = (userId: number) => {
    const moved = fromPolicies.get(userId) ?? VisibilityPolicy.inherit
    return isMerge ? mergedPolicy(moved, policyAtTarget(userId)) : moved
  }
  const userIds = [...new Set([...fromPolicies.keys(), ...toPolicies.keys()])].filter(
    (id) => readerIds?.has(id) ?? true,
  )
  for (const [policy, ids] of Map.groupBy(userIds, policyAfter))
    await setPolicies(tx, realmId, to, new Map(ids.map((id) => [id, policyAtTarget(id)])), policy)
}
