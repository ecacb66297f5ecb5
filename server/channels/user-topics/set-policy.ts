import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import { deleteUserTopics, findMutedTopics, findPolicy, saveUserTopics, type TopicRef } from './queries.ts'
import { toMutedTopicsJson, toUserTopicJson, VisibilityPolicy } from './user-topic.ts'

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
