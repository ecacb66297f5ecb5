import { type EmojiChoice, searchEmoji } from '../../emoji/emoji-table.ts'
import { recentEmoji } from '../../emoji/recent-emoji.ts'
import { preferredTone, withTone } from '../../emoji/skin-tones.ts'
import { TonedGlyph } from '../../emoji/toned-glyph.tsx'
import { MAX_ROWS } from './mention-suggestions.tsx'
import type { Suggestion } from './suggestion.ts'

/**
 * Returns the emoji whose name or keyword matches. Recently used emoji with a name that starts with the query come
 * first.
 */
export function suggestEmoji(query: string, choices: readonly EmojiChoice[], userId: number): Suggestion[] {
  const recent = new Set(recentEmoji(userId))
  const tone = preferredTone(userId)
  const found = searchEmoji(choices, query)
  const first = found.filter(({ key, names }) => recent.has(key) && names.some((name) => name.startsWith(query)))
  const rows = [...new Set([...first, ...found])].slice(0, MAX_ROWS)
  return rows.map((emoji) => {
    const name = matchingName(emoji.names, query)
    const toned = withTone(emoji, tone)
    return {
      key: emoji.key,
      label: name.replaceAll('_', ' '),
      icon: <TonedGlyph emoji={emoji} tone={tone} />,
      insert: toned === null ? `:${name}: ` : `${toned} `,
    }
  })
}

/** Returns the name to insert: an alias if the user typed it. */
function matchingName(names: readonly string[], query: string): string {
  const typed = query.toLowerCase()
  return names.find((name) => name === typed) ?? names.find((name) => name.startsWith(typed)) ?? names[0]!
}
