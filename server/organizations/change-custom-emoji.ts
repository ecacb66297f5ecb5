import { viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { findUnicodeEmoji } from '#markdown/emoji/emoji.ts'
import { MAX_EMOJI_PER_DAY, requireBelowDailyLimit } from '#people/users/daily-limits.ts'
import type { Actor } from '#people/users/user.ts'
import { toEmojiJson } from '#realms/emoji-json.ts'
import { deactivateRealmEmoji, findRealmEmoji, type RealmEmoji, saveRealmEmoji } from '#realms/emoji-queries.ts'
import { isExtraEmoji } from '#realms/extra-emoji.ts'
import { lockRealm } from '#realms/queries.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { requireMayAddEmoji, requireMayOverrideEmoji, requireMayRemoveEmoji } from './access.ts'
import { emitOrganizationEvents } from './events.ts'

export const emojiExists = refusal('BAD_REQUEST', 400, 'A custom emoji with this name already exists.', {
  field: 'emoji_name',
})
export const noSuchCustomEmoji = refusal('BAD_REQUEST', 404, "Emoji '{name}' does not exist", { field: 'emoji_name' })

/** Refuses if the actor may not add emoji, has reached a limit, or if the name is taken. */
export async function requireAddableEmoji(db: Db, actor: Actor, name: string, now: number): Promise<void> {
  await requireMayAddEmoji(viewerOf(db, actor, now))
  if ((await findUsableEmoji(db, actor, name)) !== undefined) throw emojiExists()
  const isBuiltIn = isExtraEmoji(name) || findUnicodeEmoji(name) !== null
  if (isBuiltIn) requireMayOverrideEmoji(actor)
  const creations = { table: 'realmEmoji', by: 'authorId', at: 'createdAt', plural: 'emoji' } as const
  await requireBelowDailyLimit(db, actor, creations, { count: 1, limit: MAX_EMOJI_PER_DAY, now })
}

/** Adds an emoji whose picture is already stored, and emits the change. */
export async function addEmoji(
  tx: Transaction,
  actor: Actor,
  { name, fileName, stillFileName }: Pick<RealmEmoji, 'name' | 'fileName' | 'stillFileName'>,
): Promise<void> {
  await lockRealm(tx, actor.realmId)
  await requireAddableEmoji(tx.db, actor, name, tx.now)
  await saveRealmEmoji(tx, { realmId: actor.realmId, name, authorId: actor.id, fileName, stillFileName })
  await emitEmoji(tx, actor.realmId)
}

/** Deactivates an emoji and emits the change. Refuses unless the actor added the emoji or is an administrator. */
export async function removeEmoji(tx: Transaction, actor: Actor, name: string): Promise<void> {
  await lockRealm(tx, actor.realmId)
  const emoji = await findUsableEmoji(tx.db, actor, name)
  if (emoji === undefined) throw noSuchCustomEmoji({ name })
  requireMayRemoveEmoji(actor, emoji)
  await deactivateRealmEmoji(tx, emoji.id)
  await emitEmoji(tx, actor.realmId)
}

async function findUsableEmoji(db: Db, actor: Actor, name: string): Promise<RealmEmoji | undefined> {
  const emoji = await findRealmEmoji(db, actor.realmId)
  return emoji.find((one) => one.name === name && one.deactivatedAt === null)
}

async function emitEmoji(tx: Transaction, realmId: number): Promise<void> {
  const realm_emoji = toEmojiJson(await findRealmEmoji(tx.db, realmId))
  await emitOrganizationEvents(tx, realmId, [{ type: 'realm_emoji', op: 'update', realm_emoji }])
}
