import type { Actor } from '../../people/users/user.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { deleteUserTopics, findMutedTopics, findPolicy, saveUserTopics, type TopicRef } from './queries.ts'
import { toMutedTopicsJson, toUserTopicJson, VisibilityPolicy } from './user-topic.ts'

/** Has the user see of the topic what the policy says, and tells them; nothing when it says that already. */
export async function setPolicy(
  tx: Transaction,
  actor: Actor,
  thread: TopicRef,
  visibilityPolicy: VisibilityPolicy,
): Promise<void> {
  const before = await findPolicy(tx.db, actor.id, thread)
  await setPolicies(
    tx,
    actor.realmId,
    thread,
    new Map([[actor.id, before ?? VisibilityPolicy.inherit]]),
    visibilityPolicy,
  )
}

/** As `setPolicy`, of all these people, whose policies were so before. */
export async function setPolicies(
  tx: Transaction,
  realmId: number,
  thread: TopicRef,
  before: ReadonlyMap<number, VisibilityPolicy>,
  visibilityPolicy: VisibilityPolicy,
): Promise<void> {
  const changed = [...before].filter(([, policy]) => policy !== visibilityPolicy)
  if (changed.length === 0) return
  const userIds = changed.map(([userId]) => userId)
  if (visibilityPolicy === VisibilityPolicy.inherit) await deleteUserTopics(tx, userIds, thread)
  else await saveUserTopics(tx, userIds, thread, visibilityPolicy)

  const isMuted = visibilityPolicy === VisibilityPolicy.muted
  const muting = changed.filter(([, policy]) => isMuted || policy === VisibilityPolicy.muted)
  await emitMutedTopics(
    tx,
    realmId,
    muting.map(([userId]) => userId),
  )
  const { channelId, topic } = thread
  const now = toUserTopicJson({ channelId, topic, visibilityPolicy, setAt: tx.now })
  tx.emit(realmId, { type: 'user_topic', ...now }, userIds)
}

/** Tells old clients, who know nothing else of topics. */
async function emitMutedTopics(tx: Transaction, realmId: number, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return
  const muted = Map.groupBy(await findMutedTopics(tx.db, userIds), ({ userId }) => userId)
  const lists = userIds.map((userId) => ({ userId, topics: toMutedTopicsJson(muted.get(userId) ?? []) }))
  for (const same of Map.groupBy(lists, ({ topics }) => JSON.stringify(topics)).values()) {
    tx.emit(
      realmId,
      { type: 'muted_topics', muted_topics: same[0]?.topics ?? [] },
      same.map(({ userId }) => userId),
    )
  }
}
