import table from 'emojibase-data/en/compact.json'

/**
 * The keywords of an emoji, and its forms with the five skin tones, lightest first. `toned` is empty if the emoji has
 * no tones.
 */
export type EmojiDetail = { readonly keywords: readonly string[]; readonly toned: readonly string[] }

/** Details of Unicode emoji by code. */
export type EmojiDetails = ReadonlyMap<string, EmojiDetail>

/** Returns the code that the server uses for an emoji. It has no variation selectors. */
const codeOf = (hexcode: string) => hexcode.toLowerCase().replaceAll('-fe0f', '')

export const EMOJI_DETAILS: EmojiDetails = new Map(
  table.map(({ hexcode, label, tags = [], skins = [] }) => [
    codeOf(hexcode),
    {
      keywords: [...label.toLowerCase().split(/[^\p{L}\p{N}]+/u), ...tags],
      // Couples have more forms; those with a single tone come first.
      toned: skins.slice(0, 5).map(({ unicode }) => unicode),
    },
  ]),
)
