type Emoji = { emojiName: string; emojiCode: string; reactionType: string }

/** An emoji as the format names it, which has one beside Unicode's and the organization's own: `zulip`. */
export function toEmojiColumns({ emojiName, emojiCode, reactionType }: Emoji) {
  if (reactionType === 'service_extra_emoji')
    return { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' }
  return { emoji_name: emojiName, emoji_code: emojiCode, reaction_type: reactionType }
}
