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
