import { topicKey } from '#channels/topic.ts'
import { movePolicies } from '#channels/user-topics/move-policies.ts'
import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import type { Message } from '../message.ts'
import { followOnMove, hasMessagesFor, toTopicRef } from '../sending/follow-topics.ts'
import { changesChannel, type Move } from './move.ts'

type Arrival = {
  /** True if the new topic already had messages that the actor may read. */
  isMerge: boolean
  /** The users who may read the new channel; null if the channel stays the same. */
  readerIds: ReadonlySet<number> | null
}

/**
 * Moves users' visibility policies to the new topic if the actor can no longer read any message in the old one.
 * Otherwise the policies stay, and only the sender of the moved message may follow the new topic (`followOnMove`).
 */
export async function moveTopicPolicies(
  tx: Transaction,
  actor: Actor,
  message: Message,
  move: Move,
  arrival: Arrival,
): Promise<void> {
  const { from, to, mode } = move
  if (!changesChannel(move) && topicKey(from.topic) === topicKey(to.topic)) return
  const isWhole = mode === 'change_all' || !(await hasMessagesFor(tx.db, actor.id, from))
  if (!isWhole) return followOnMove(tx, message, to, arrival.readerIds)
  const topics = { from: toTopicRef(from), to: toTopicRef(to) }
  await movePolicies(tx, actor.realmId, { ...topics, ...arrival })
}
