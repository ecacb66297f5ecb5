import { z } from 'zod'

/** An emoji of one of the three types. */
export type StatusEmoji = {
  emojiName: string
  emojiCode: string
  reactionType: 'unicode_emoji' | 'realm_emoji' | 'service_extra_emoji'
}

/** A user's status: a text, an emoji, or both. */
export type Status = { text: string; emoji: StatusEmoji | null }

export const NO_STATUS: Status = { text: '', emoji: null }

/** In code points. */
export const MAX_STATUS_LENGTH = 60

/** Empty parts are left out. */
export const statusJson = z.strictObject({
  status_text: z.string().optional(),
  emoji_name: z.string().optional(),
  emoji_code: z.string().optional(),
  reaction_type: z
    .enum(['unicode_emoji', 'realm_emoji', 'service_extra_emoji', 'zulip_extra_emoji'])
    .optional()
    .describe('Clients that do not know `service_extra_emoji` receive it as `zulip_extra_emoji`.'),
})

export function isEmpty({ text, emoji }: Status): boolean {
  return text === '' && emoji === null
}

export function toStatusJson(
  { text, emoji }: Status,
  extraEmojiType: 'service_extra_emoji' | 'zulip_extra_emoji',
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

/** Contains only the parts that were set. Empty strings mean that a part was removed. */
export function statusChanged(
  userId: number,
  { text, emoji }: { text?: string | undefined; emoji?: StatusEmoji | null | undefined },
) {
  return {
    type: 'user_status',
    user_id: userId,
    ...(text !== undefined && { status_text: text }),
    ...(emoji !== undefined && {
      emoji_name: emoji?.emojiName ?? '',
      emoji_code: emoji?.emojiCode ?? '',
      reaction_type: emoji?.reactionType ?? 'unicode_emoji',
    }),
  } as const
}
