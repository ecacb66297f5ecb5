import { z } from 'zod'
import type { Emoji } from '../messages/emoji.ts'
import type { MessageForm } from '../messages/message-json.ts'

/** What somebody says of themselves: a text, an emoji, or both. */
export type Status = { text: string; emoji: Emoji | null }

export const NO_STATUS: Status = { text: '', emoji: null }

/** In code points. */
export const MAX_STATUS_LENGTH = 60

/** What is empty is left out. */
export const statusJson = z.strictObject({
  status_text: z.string().optional(),
  emoji_name: z.string().optional(),
  emoji_code: z.string().optional(),
  reaction_type: z
    .enum(['unicode_emoji', 'realm_emoji', 'service_extra_emoji', 'zulip_extra_emoji'])
    .optional()
    .describe('`zulip_extra_emoji` stands for `service_extra_emoji` where the client knows no other name.'),
})

export function isEmpty({ text, emoji }: Status): boolean {
  return text === '' && emoji === null
}

export function toStatusJson(
  { text, emoji }: Status,
  extraEmojiType: MessageForm['extraEmojiType'],
): z.infer<typeof statusJson> {
  return {
    ...(text !== '' && { status_text: text }),
    ...(emoji !== null && {
      emoji_name: emoji.emojiName,
      emoji_code: emoji.emojiCode,
      reaction_type: emoji.reactionType === 'service_extra_emoji' ? extraEmojiType : emoji.reactionType,
    }),
  }
}
