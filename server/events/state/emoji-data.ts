import { allUnicodeEmoji } from '#markdown/emoji/emoji.ts'

/** The path of the JSON file with the names of all Unicode emoji. */
export const EMOJI_DATA_PATH = '/static/emoji/names.json'

let text: string | undefined

/** Returns JSON with the names of all Unicode emoji by code. The canonical name of each emoji comes first. */
export function emojiDataJson(): string {
  text ??= JSON.stringify({ code_to_names: Object.fromEntries(allUnicodeEmoji()) })
  return text
}
