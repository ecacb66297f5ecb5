import { z } from 'zod'
import { emojiUrl, type RealmEmoji } from './emoji-queries.ts'

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
