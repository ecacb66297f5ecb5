import type { Transaction } from '#storage/storage.ts'
import { mergedPolicy } from './automatic-policy.ts'
import { findPolicies, type TopicRef } from './queries.ts'
import { setPolicies } from './set-policy.ts'
import { VisibilityPolicy } from './user-topic.ts'

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
