import type { Selectable } from 'kysely'
import { z } from 'zod'
import { refusal } from '#lib/errors.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { Tables } from '#storage/tables.ts'

// The custom emoji of an organization, as they are stored and as clients see them, and the rules for names of emoji.
// A deactivated emoji keeps its picture, because older messages and reactions show it.

/** A custom emoji of an organization. Deactivated emoji are kept, because reactions still show them. */
export type RealmEmoji = Selectable<Tables['realmEmoji']>

const emojiOfRealm = defineCache<number, readonly RealmEmoji[]>({
  dependsOn: ['realmEmoji'],
  limit: 1000,
  load: (db, realmId) => db.selectFrom('realmEmoji').selectAll().where('realmId', '=', realmId).orderBy('id').execute(),
})

/** Returns all custom emoji of the organization, including deactivated ones, ordered by id. */
export function findRealmEmoji(db: Db, realmId: number): readonly RealmEmoji[] | Promise<readonly RealmEmoji[]> {
  return emojiOfRealm.get(db, realmId)
}

/** Returns the path of the picture, relative to the organization's URL. */
export function emojiUrl({ realmId, fileName }: Pick<RealmEmoji, 'realmId' | 'fileName'>): string {
  return `/user_avatars/${realmId}/emoji/images/${fileName}`
}

export async function saveRealmEmoji(
  tx: Transaction,
  emoji: Pick<RealmEmoji, 'realmId' | 'name' | 'authorId' | 'fileName'> & Partial<Pick<RealmEmoji, 'stillFileName'>>,
): Promise<void> {
  await tx
    .insertInto('realmEmoji')
    .values({ ...emoji, createdAt: tx.now, deactivatedAt: null })
    .execute()
}

/** Deactivates the emoji. Messages and reactions that use it still show it. */
export async function deactivateRealmEmoji(tx: Transaction, id: number): Promise<void> {
  await tx.updateTable('realmEmoji').set({ deactivatedAt: tx.now }).where('id', '=', id).execute()
}

export const emojiJson = z.object({
  id: z.string(),
  name: z.string(),
  source_url: z.string().describe("The path of the picture, relative to the organization's URL."),
  still_url: z.string().nullable().describe('The path of a still picture, or null if the emoji is not animated.'),
  deactivated: z
    .boolean()
    .describe('Deactivated emoji cannot be used in new messages, but are still shown in old ones.'),
  author_id: z.int().nullable(),
})

export type EmojiJson = z.infer<typeof emojiJson>

/** Returns the emoji as clients see them, by id. */
export function toEmojiJson(emoji: readonly RealmEmoji[]): Record<string, EmojiJson> {
  return Object.fromEntries(
    emoji.map((one) => [
      one.id,
      {
        id: String(one.id),
        name: one.name,
        source_url: emojiUrl(one),
        still_url: one.stillFileName === null ? null : emojiUrl({ ...one, fileName: one.stillFileName }),
        deactivated: one.deactivatedAt !== null,
        author_id: one.authorId,
      },
    ]),
  )
}

const emojiNameMissing = refusal('BAD_REQUEST', 400, 'Emoji name is missing', { field: 'emoji_name' })
const emojiNameTooLong = refusal(
  'BAD_REQUEST',
  400,
  `Emoji name is too long (limit: ${MAX_LENGTH.emojiName} characters)`,
  {
    field: 'emoji_name',
  },
)
const emojiNameCharacters = refusal(
  'BAD_REQUEST',
  400,
  'Emoji names must contain only lowercase English letters, digits, spaces, dashes, underscores, and periods.',
  { field: 'emoji_name' },
)
const emojiNameEnd = refusal('BAD_REQUEST', 400, 'Emoji names must end with either a letter or digit.', {
  field: 'emoji_name',
})

export const emojiNameRefusals = [emojiNameMissing, emojiNameTooLong, emojiNameCharacters, emojiNameEnd]

/** Returns the name as users write it between colons, with underscores instead of spaces. Refuses an invalid name. */
export function requireEmojiName(given: string): string {
  const name = given.trim().replaceAll(' ', '_')
  if (name === '') throw emojiNameMissing()
  if (name.length > MAX_LENGTH.emojiName) throw emojiNameTooLong()
  if (!/^[0-9a-z._-]+$/.test(name)) throw emojiNameCharacters()
  if (!/[0-9a-z]$/.test(name)) throw emojiNameEnd()
  return name
}

/**
 * The names of the emoji that every organization has in addition to those of Unicode. Each of them is also the emoji's
 * code.
 */
export const extraEmojiNames: readonly string[] = ['parley', 'zulip']

export function isExtraEmoji(name: string): boolean {
  return extraEmojiNames.includes(name)
}

/** Returns the path of the picture, relative to the organization's URL. */
export function extraEmojiUrl(name: string): string {
  return `/static/emoji/${name}.png`
}
