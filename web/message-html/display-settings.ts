import { createAtom } from '@tanstack/react-store'

/** True if emoji in messages, reactions and statuses are shown as their names, such as `:tada:`. */
export const showsEmojiNames = createAtom(false)

/**
 * Applies the user's choice of emoji. The API only has the names of Zulip's sets: `google` and `twitter` are shown in
 * Parley's font, the retired `google-blob` in the font of the device, and `text` as names.
 */
export function applyEmojiStyle(emojiset: string): void {
  showsEmojiNames.set(emojiset === 'text')
  if (emojiset === 'google-blob') document.documentElement.dataset['emoji'] = 'device'
  else delete document.documentElement.dataset['emoji']
}

/** The condition under which animated pictures in messages play. */
type AnimationPolicy = 'always' | 'on_hover' | 'never'

export const animationPolicy = createAtom<AnimationPolicy>('on_hover')
