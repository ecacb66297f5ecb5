import type { Transaction } from '../storage/storage.ts'
import type { Actor } from '../users/user.ts'
import { endUserTopic, findPolicy, findUserTopics, saveUserTopic, type Thread } from './queries.ts'
import { toMutedTopicsJson, toUserTopicJson, VisibilityPolicy } from './user-topic.ts'

/** Has the user see of the topic what the policy says, and tells them; nothing when it says that already. */
export async function setPolicy(
  tx: Transaction,
  actor: Actor,
  thread: Thread,
  visibilityPolicy: VisibilityPolicy,
): Promise<void> {
  const before = (await findPolicy(tx.db, actor.id, thread)) ?? VisibilityPolicy.inherit
  if (before === visibilityPolicy) return
  if (visibilityPolicy === VisibilityPolicy.inherit) await endUserTopic(tx, actor.id, thread)
  else await saveUserTopic(tx, actor.id, thread, visibilityPolicy)

  const mutedTopics = toMutedTopicsJson(await findUserTopics(tx.db, actor.id))
  tx.emit(actor.realmId, { type: 'muted_topics', muted_topics: mutedTopics }, [actor.id])
  const { channelId, topic } = thread
  const now = toUserTopicJson({ channelId, topic, visibilityPolicy, setAt: tx.now })
  tx.emit(actor.realmId, { type: 'user_topic', ...now }, [actor.id])
}
