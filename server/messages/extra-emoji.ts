/** The emoji that every organization has beside Unicode's; their code is their name. */
const extraEmoji = new Set(['parley', 'zulip'])

export function isExtraEmoji(name: string): boolean {
  return extraEmoji.has(name)
}

/** Where the picture is found, below the organization's address. */
export function extraEmojiUrl(name: string): string {
  return `/static/emoji/${name}.png`
}
