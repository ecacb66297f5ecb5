import { isResolutionChange } from '#channels/topic.ts'
import type { Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import type { Actor } from '#people/users/user.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { Message } from '../message.ts'
import { messagesOfTopic } from '../topic-access.ts'
import { isTooLate, moveLimitOf } from './edit-access.ts'
import { changesChannel, type Move } from './move.ts'

type Extent = { allowed: number; total: number; firstId: number | null }

export const tooOldToMoveAll = refusal(
  'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
  400,
  'You only have permission to move the {allowed}/{total} most recent messages in this topic.',
  {
    extras: ({ allowed, total, firstId }: Extent) => ({
      total_messages_in_topic: total,
      total_messages_allowed_to_move: allowed,
      first_message_id_allowed_to_move: firstId,
    }),
  },
)

/**
 * Locks the messages that move, and returns their ids in ascending order. The messages are those that the propagate
 * mode selects and that the actor may read.
 */
export async function lockMovedMessages(
  tx: Transaction,
  actor: Actor,
  message: Message,
  move: Move,
): Promise<number[]> {
  const rows = await selectMovedMessages(tx.db, actor, message, move, true)
  return rows.map((row) => row.id)
}

/** Refuses to move a whole topic if some of its messages are too old for the actor to move. */
export async function requireMovable(viewer: Viewer, message: Message, move: Move): Promise<void> {
  const { db, actor, now } = viewer
  const { from, to, mode } = move
  const isOtherChannel = changesChannel(move)
  if (mode !== 'change_all' || (!isOtherChannel && isResolutionChange(from.topic, to.topic))) return
  const limit = moveLimitOf(actor, isOtherChannel ? 'between' : 'within')
  if (limit === null) return
  const all = await selectMovedMessages(db, actor, message, move)
  const movable = all.filter((row) => !isTooLate(row, limit, now))
  if (movable.length < all.length)
    throw tooOldToMoveAll({ allowed: movable.length, total: all.length, firstId: movable[0]?.id ?? null })
}

async function selectMovedMessages(
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
