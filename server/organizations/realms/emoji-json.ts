import { z } from 'zod'
import { emojiUrl, type RealmEmoji } from './emoji-queries.ts'

/** A custom emoji of the API. */
export const emojiJson = z.object({
  id: z.string(),
  name: z.string(),
  source_url: z.string().describe("Where its picture is, below the organization's address."),
  still_url: z.string().nullable().describe('Where its picture is that does not move; null where none moves.'),
  deactivated: z.boolean().describe('Whether it can be used no more; where it was used already it is still shown.'),
  author_id: z.int().nullable(),
})

export type EmojiJson = z.infer<typeof emojiJson>

/** Returns the emoji by id. */
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
