import { refusal } from '#lib/errors/refusal.ts'
import { type Emoji, requireEmoji, requireEmojiNamed, requireReactionType } from '#messages/reactions/emoji.ts'
import { findStatus, saveStatus } from '#people/statuses/queries.ts'
import { isEmpty, type Status, statusChanged } from '#people/statuses/status.ts'
import type { Actor } from '#people/users/user.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { accountIds, findUserAudience } from './user-audience.ts'

export const emojiNeedsName = refusal(
  'BAD_REQUEST',
  400,
  'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
  { field: 'emoji_name' },
)

export const endNotInFuture = refusal('BAD_REQUEST', 400, 'Invalid scheduled_end_time: the time is not in the future', {
  field: 'scheduled_end_time',
})

/** A requested change of a status. Undefined fields stay unchanged. An empty emoji name removes the emoji. */
type StatusRequest = {
  text: string | undefined
  emojiName: string | undefined
  emojiCode: string | undefined
  reactionType: string | undefined
  endsAt: number | null | undefined
}

/**
 * Changes the given parts of the actor's status, and emits them to all users who may see the actor. If a new text or
 * emoji has no end time, any previous end time is removed. Otherwise, a status set by clients that do not support end
 * times would disappear.
 */
export async function setStatus(tx: Transaction, actor: Actor, request: StatusRequest): Promise<void> {
  const { text } = request
  const emoji = await requireStatusEmoji(tx.db, actor, request)
  const before = await findStatus(tx.db, actor.id)
  if (request.endsAt != null && request.endsAt <= tx.now) throw endNotInFuture()
  const parts = { text: text ?? before.text, emoji: emoji === undefined ? before.emoji : emoji }
  const isReplaced = text !== undefined || emoji !== undefined
  const requestedEnd = request.endsAt === undefined ? (isReplaced ? null : before.endsAt) : request.endsAt
  const endsAt = isEmpty(parts) ? null : requestedEnd
  await saveStatus(tx, actor.id, { ...parts, endsAt })
  await emitStatus(tx, actor, { text, emoji, endsAt: endsAt === before.endsAt ? undefined : endsAt })
}

/** Emits the removal of an expired status to all users who may see the user. */
export async function emitEndOfStatus(tx: Transaction, actor: Actor, before: Status): Promise<void> {
  await emitStatus(tx, actor, {
    text: before.text === '' ? undefined : '',
    emoji: before.emoji === null ? undefined : null,
    endsAt: null,
  })
}

async function emitStatus(tx: Transaction, actor: Actor, change: Parameters<typeof statusChanged>[1]): Promise<void> {
  const { viewers } = await findUserAudience(tx, actor.realm, actor)
  tx.emit(actor.realmId, statusChanged(actor.id, change), accountIds(viewers))
}

/** Returns the new emoji: null if it is removed, undefined if it stays unchanged. */
async function requireStatusEmoji(db: Db, actor: Actor, request: StatusRequest): Promise<Emoji | null | undefined> {
  const { emojiName, emojiCode, reactionType } = request
  if (emojiName === '') return null
  if (emojiName === undefined) {
    if (emojiCode || reactionType) throw emojiNeedsName()
    return undefined
  }
  const type = reactionType === undefined ? undefined : requireReactionType(reactionType)
  const emojiByName =
    emojiCode === undefined || type === undefined ? await requireEmojiNamed(db, actor.realmId, emojiName) : null
  const emoji: Emoji = {
    emojiName,
    emojiCode: emojiCode ?? emojiByName?.emojiCode ?? '',
    reactionType: type ?? emojiByName?.reactionType ?? 'unicode_emoji',
  }
  await requireEmoji(db, actor.realmId, emoji)
  return emoji
}
