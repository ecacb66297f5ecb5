import { type Emoji, requireEmoji, requireEmojiNamed, requireReactionType } from '../../messages/reactions/emoji.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'
import { findStatus, saveStatus } from '../statuses/queries.ts'
import { type Status, statusChanged } from '../statuses/status.ts'
import type { Actor } from '../users/user.ts'
import { accountIds, findUserAudience } from './user-audience.ts'

export const emojiNeedsName = refusal(
  'BAD_REQUEST',
  400,
  'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
  { field: 'emoji_name' },
)

/** Undefined fields stay unchanged. An empty emoji name removes the emoji. */
type StatusRequest = {
  text: string | undefined
  emojiName: string | undefined
  emojiCode: string | undefined
  reactionType: string | undefined
}

/** Changes the given parts of the actor's status and emits them to all who may see the actor. */
export async function setStatus(tx: Transaction, actor: Actor, request: StatusRequest): Promise<void> {
  const { text } = request
  const emoji = await requireStatusEmoji(tx.db, actor, request)
  const before = await findStatus(tx.db, actor.id)
  const after: Status = { text: text ?? before.text, emoji: emoji === undefined ? before.emoji : emoji }
  await saveStatus(tx, actor.id, after)

  const { viewers } = await findUserAudience(tx, actor.realm, actor)
  tx.emit(actor.realmId, statusChanged(actor.id, { text, emoji }), accountIds(viewers))
}

/** Returns null to remove the emoji and undefined to leave it unchanged. */
async function requireStatusEmoji(db: Db, actor: Actor, request: StatusRequest): Promise<Emoji | null | undefined> {
  const { emojiName, emojiCode, reactionType } = request
  if (emojiName === '') return null
  if (emojiName === undefined) {
    if (emojiCode || reactionType) throw emojiNeedsName()
    return undefined
  }
  const type = reactionType === undefined ? undefined : requireReactionType(reactionType)
  const named =
    emojiCode === undefined || type === undefined ? await requireEmojiNamed(db, actor.realmId, emojiName) : null
  const emoji: Emoji = {
    emojiName,
    emojiCode: emojiCode ?? named?.emojiCode ?? '',
    reactionType: type ?? named?.reactionType ?? 'unicode_emoji',
  }
  await requireEmoji(db, actor.realmId, emoji)
  return emoji
}
