import type { Message } from '../messages/message.ts'

/** An emoji as reactions identify it. */
export type Emoji = Pick<Message['reactions'][number], 'emoji_name' | 'emoji_code' | 'reaction_type'>

/** Returns a key that distinguishes emoji with the same name. */
export const keyOfEmoji = ({ reaction_type, emoji_code }: Pick<Emoji, 'reaction_type' | 'emoji_code'>): string =>
  `${reaction_type === 'zulip_extra_emoji' ? 'service_extra_emoji' : reaction_type}/${emoji_code}`

export const readableName = (emojiName: string): string => emojiName.replaceAll('_', ' ')
