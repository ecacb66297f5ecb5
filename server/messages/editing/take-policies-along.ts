import { movePolicies } from '../../channels/user-topics/move-policies.ts'
import type { Actor } from '../../people/users/user.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import type { Message } from '../message.ts'
import { followMoved, hasMessagesFor, toPolicyThread } from '../sending/automatic-policies.ts'
import { topicKey } from '../topic.ts'
import { changesChannel, type Move } from './move.ts'

type Arrival = {
  /** Whether there was something in the new place before, that the actor may read. */
  isMerge: boolean
  /** Who may read there; null when the channel is the same. */
  readerIds: ReadonlySet<number> | null
}

/**
 * Takes what people want to see of a topic to its new place, if nothing is left of it that the actor may read. Where only
 * a part of it was moved, whoever sent the first of these messages may have started a topic.
 */
export async function takePoliciesAlong(
  tx: Transaction,
  actor: Actor,
  message: Message,
  move: Move,
  arrival: Arrival,
): Promise<void> {
  const { from, to, mode } = move
  if (!changesChannel(move) && topicKey(from.topic) === topicKey(to.topic)) return
  const isWhole = mode === 'change_all' || !(await hasMessagesFor(tx.db, actor.id, from))
  if (!isWhole) return followMoved(tx, message, to, arrival.readerIds)
  const threads = { from: toPolicyThread(from), to: toPolicyThread(to) }
  await movePolicies(tx, actor.realmId, { ...threads, ...arrival })
}
