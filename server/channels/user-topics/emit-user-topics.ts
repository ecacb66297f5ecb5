import type { Transaction } from '../../platform/storage/storage.ts'
import { findPoliciesOfUsers } from './queries.ts'
import { toUserTopicJson } from './user-topic.ts'

/** Tells people what they had set for the topics of channels that they may know of again. */
export async function emitUserTopics(
  tx: Transaction,
  realmId: number,
  channelIds: readonly number[],
  userIds: readonly number[],
): Promise<void> {
  for (const { userId, ...policy } of await findPoliciesOfUsers(tx.db, channelIds, userIds))
    tx.emit(realmId, { type: 'user_topic', ...toUserTopicJson(policy) }, [userId])
}
