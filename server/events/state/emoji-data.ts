import { allUnicodeEmoji } from '../../platform/markdown/emoji/emoji.ts'

/** Where the names of all Unicode emoji are, below the organization's address. */
export const EMOJI_DATA_PATH = '/static/emoji/names.json'

let text: string | undefined

/** The names of all Unicode emoji by code, the canonical one first, as JSON. */
export function emojiDataJson(): string {
  text ??= JSON.stringify({ code_to_names: Object.fromEntries(allUnicodeEmoji()) })
  return text
}
