type Emoji = { emojiName: string; emojiCode: string; reactionType: string }

/** Returns the emoji columns of the format. The format has a separate type for the `zulip` emoji. */
export function toEmojiColumns({ emojiName, emojiCode, reactionType }: Emoji) {
  if (reactionType === 'service_extra_emoji')
    return { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' }
  return { emoji_name: emojiName, emoji_code: emojiCode, reaction_type: reactionType }
}
