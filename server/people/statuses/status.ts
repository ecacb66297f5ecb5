import { z } from 'zod'

/** The emoji of a status. It has one of the three types of emoji. */
export type StatusEmoji = {
  emojiName: string
  emojiCode: string
  reactionType: 'unicode_emoji' | 'realm_emoji' | 'service_extra_emoji'
}

/**
 * A user's status: text, an emoji, or both. The server clears it at `endsAt`, in UNIX seconds. It has no end time if
 * `endsAt` is null.
 */
export type Status = { text: string; emoji: StatusEmoji | null; endsAt: number | null }

export const NO_STATUS: Status = { text: '', emoji: null, endsAt: null }

/** The maximum length of a status text, in code points. */
export const MAX_STATUS_LENGTH = 60

/** A status as clients see it. Empty parts are left out. */
export const statusJson = z.strictObject({
  status_text: z.string().optional(),
  emoji_name: z.string().optional(),
  emoji_code: z.string().optional(),
  reaction_type: z
    .enum(['unicode_emoji', 'realm_emoji', 'service_extra_emoji', 'zulip_extra_emoji'])
    .optional()
    .describe('Clients that do not know `service_extra_emoji` receive it as `zulip_extra_emoji`.'),
  scheduled_end_time: z
    .int()
    .nullable()
    .optional()
    .describe('The UNIX time at which the server clears the status. Null in an event if it no longer ends.'),
})

export function isEmpty({ text, emoji }: Pick<Status, 'text' | 'emoji'>): boolean {
  return text === '' && emoji === null
}

export function toStatusJson(
  { text, emoji, endsAt }: Status,
  extraEmojiType: 'service_extra_emoji' | 'zulip_extra_emoji',
): z.infer<typeof statusJson> {
  return {
    ...(text !== '' && { status_text: text }),
    ...(emoji !== null && {
      emoji_name: emoji.emojiName,
      emoji_code: emoji.emojiCode,
      reaction_type: emoji.reactionType === 'service_extra_emoji' ? extraEmojiType : emoji.reactionType,
    }),
    ...(endsAt !== null && { scheduled_end_time: endsAt }),
  }
}

/**
 * Returns the event for a changed status. It contains only the parts that were set. Empty strings mean that a part was
 * removed.
 */
export function statusChanged(
  userId: number,
  { text, emoji, endsAt }: Partial<{ [Part in keyof Status]: Status[Part] | undefined }>,
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
    ...(endsAt !== undefined && { scheduled_end_time: endsAt }),
  } as const
}
