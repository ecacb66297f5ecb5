import type { Actor } from '../../people/users/user.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'
import type { Message } from '../message.ts'
import { isResolutionChange } from '../topic.ts'
import { messagesOfTopic } from '../topic-access.ts'
import { isTooLate, moveLimitOf } from './edit-access.ts'
import { changesChannel, type Move } from './move.ts'

type Extent = { allowed: number; total: number; firstId: number | null }

export const tooOldToMoveAll = refusal(
  'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
  400,
  'You only have permission to move the {allowed}/{total} most recent messages in this topic.',
  ({ allowed, total, firstId }: Extent) => ({
    total_messages_in_topic: total,
    total_messages_allowed_to_move: allowed,
    first_message_id_allowed_to_move: firstId,
  }),
)

/**
 * The messages that move, in ascending order: those of the topic that the mode means and the actor may read. Until the
 * transaction ends nobody else changes them.
 */
export async function lockMoving(tx: Transaction, actor: Actor, message: Message, move: Move): Promise<number[]> {
  const rows = await movingRows(tx.db, actor, message, move, true)
  return rows.map((row) => row.id)
}

/** Refuses to move a whole topic of which some messages are too old for the actor. */
export async function requireMovable(db: Db, actor: Actor, message: Message, move: Move, now: number): Promise<void> {
  const { from, to, mode } = move
  const isElsewhere = changesChannel(move)
  if (mode !== 'change_all' || (!isElsewhere && isResolutionChange(from.topic, to.topic))) return
  const limit = moveLimitOf(actor, isElsewhere ? 'between' : 'within')
  if (limit === null) return
  const all = await movingRows(db, actor, message, move)
  const young = all.filter((row) => !isTooLate(row, limit, now))
  if (young.length < all.length)
    throw tooOldToMoveAll({ allowed: young.length, total: all.length, firstId: young[0]?.id ?? null })
}

async function movingRows(
  db: Db,
  actor: Actor,
  message: Message,
  { from, mode }: Move,
  locks = false,
): Promise<{ id: number; sentAt: number }[]> {
  if (mode === 'change_one') return [message]
  return messagesOfTopic(db, actor, from.channel, from.topic)
    .select(['id', 'sentAt'])
    .$if(mode === 'change_later', (query) => query.where('id', '>=', message.id))
    .orderBy('id')
    .$if(locks, (query) => query.forUpdate())
    .execute()
}
