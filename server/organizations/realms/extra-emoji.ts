/** The emoji that every organization has beside Unicode's; their code is their name. */
export const extraEmojiNames: readonly string[] = ['parley', 'zulip']

export function isExtraEmoji(name: string): boolean {
  return extraEmojiNames.includes(name)
}

/** Where the picture is found, below the organization's address. */
export function extraEmojiUrl(name: string): string {
  return `/static/emoji/${name}.png`
}
