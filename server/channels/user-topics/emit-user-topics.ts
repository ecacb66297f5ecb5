import type { Transaction } from '#storage/storage.ts'
import { findPoliciesOfUsers } from './queries.ts'
import { toUserTopicJson } from './user-topic.ts'

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
