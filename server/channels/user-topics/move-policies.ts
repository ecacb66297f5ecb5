import type { Transaction } from '../../platform/storage/storage.ts'
import { mergedPolicy } from './automatic-policy.ts'
import { findPolicies, type TopicRef } from './queries.ts'
import { setPolicies } from './set-policy.ts'
import { VisibilityPolicy } from './user-topic.ts'

type TopicMove = {
  from: TopicRef
  to: TopicRef
  /** Whether there was something in the topic that it goes to: then the policy of the two is left that shows more. */
  isMerge: boolean
  /** Who may read where it goes, everybody else losing what they had; null when it stays in its channel. */
  readerIds: ReadonlySet<number> | null
}

/** Takes what everybody wants to see of a topic to where it goes, and tells them. */
export async function movePolicies(
  tx: Transaction,
  realmId: number,
  { from, to, isMerge, readerIds }: TopicMove,
): Promise<void> {
  const left = await findPolicies(tx.db, from)
  const found = await findPolicies(tx.db, to)
  await setPolicies(tx, realmId, from, left, VisibilityPolicy.inherit)

  const there = (userId: number) => found.get(userId) ?? VisibilityPolicy.inherit
  const after = (userId: number) => {
    const arriving = left.get(userId) ?? VisibilityPolicy.inherit
    return isMerge ? mergedPolicy(arriving, there(userId)) : arriving
  }
  const userIds = [...new Set([...left.keys(), ...found.keys()])].filter((id) => readerIds?.has(id) ?? true)
  for (const [policy, ids] of Map.groupBy(userIds, after))
    await setPolicies(tx, realmId, to, new Map(ids.map((id) => [id, there(id)])), policy)
}
