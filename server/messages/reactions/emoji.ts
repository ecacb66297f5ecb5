import { refusal } from '#lib/errors/refusal.ts'
import { findUnicodeEmoji, unicodeEmojiNames } from '#markdown/emoji/emoji.ts'
import { findRealmEmoji } from '#realms/emoji-queries.ts'
import { isExtraEmoji } from '#realms/extra-emoji.ts'
import type { Db } from '#storage/storage.ts'
import { type ReactionType, reactionTypes } from '../message.ts'

export const noSuchEmoji = refusal('BAD_REQUEST', 400, "Emoji '{name}' does not exist", { field: 'emoji_name' })
export const invalidEmojiCode = refusal('BAD_REQUEST', 400, 'Invalid emoji code.', { field: 'emoji_code' })
export const invalidEmojiName = refusal('BAD_REQUEST', 400, 'Invalid emoji name.', { field: 'emoji_name' })
export const invalidEmojiType = refusal('BAD_REQUEST', 400, 'Invalid emoji type.', { field: 'reaction_type' })
export const invalidCustomEmoji = refusal('BAD_REQUEST', 400, 'Invalid custom emoji', { field: 'emoji_code' })
export const customEmojiDeactivated = refusal('BAD_REQUEST', 400, 'This custom emoji has been deactivated', {
  field: 'emoji_code',
})

/** A Unicode emoji, a custom emoji or the extra emoji. */
export type Emoji = { emojiName: string; emojiCode: string; reactionType: ReactionType }

/** Returns the reaction type. `zulip_extra_emoji` is an old name of `service_extra_emoji`. */
export function requireReactionType(given: string): ReactionType {
  const name = given === 'zulip_extra_emoji' ? 'service_extra_emoji' : given
  const type = reactionTypes.find((each) => each === name)
  if (type === undefined) throw invalidEmojiType()
  return type
}

/** Returns the emoji with this name. Custom emoji override extra emoji, which override Unicode emoji. */
export async function requireEmojiNamed(db: Db, realmId: number, emojiName: string): Promise<Emoji> {
  const emoji = await findRealmEmoji(db, realmId)
  const custom = emoji.find((each) => each.name === emojiName && each.deactivatedAt === null)
  if (custom !== undefined) return { emojiName, emojiCode: String(custom.id), reactionType: 'realm_emoji' }
  if (isExtraEmoji(emojiName)) return { emojiName, emojiCode: emojiName, reactionType: 'service_extra_emoji' }
  const unicode = findUnicodeEmoji(emojiName)
  if (unicode === null) throw noSuchEmoji({ name: emojiName })
  return { emojiName, emojiCode: unicode.code, reactionType: 'unicode_emoji' }
}

/** Refuses an emoji that does not exist, is deactivated, or has another name. */
export async function requireEmoji(db: Db, realmId: number, emoji: Emoji): Promise<void> {
  const { emojiName, emojiCode, reactionType } = emoji
  if (reactionType === 'realm_emoji') return requireCustomEmoji(db, realmId, emoji)
  if (reactionType === 'service_extra_emoji') {
    if (!isExtraEmoji(emojiCode)) throw invalidEmojiCode()
    if (emojiName !== emojiCode) throw invalidEmojiName()
    return
  }
  const names = unicodeEmojiNames(emojiCode)
  if (names.length === 0) throw invalidEmojiCode()
  if (!names.includes(emojiName)) throw invalidEmojiName()
}

async function requireCustomEmoji(db: Db, realmId: number, { emojiName, emojiCode }: Emoji): Promise<void> {
  const custom = (await findRealmEmoji(db, realmId)).find((each) => String(each.id) === emojiCode)
  if (custom === undefined) throw invalidCustomEmoji()
  if (custom.name !== emojiName) throw invalidEmojiName()
  if (custom.deactivatedAt !== null) throw customEmojiDeactivated()
}
