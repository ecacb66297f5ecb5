import type { Phrase } from './phrases.ts'
import { type SearchToken, tokenizeHtml } from './tokens.ts'

/** Highlights the search matches in HTML. Text inside tags stays unchanged. */
export function highlightMatches(html: string, phrases: readonly Phrase[]): string {
  const tokens = tokenizeHtml(html)
  let highlighted = ''
  let position = 0
  for (const { start, end } of matchingTokens(tokens, phrases)) {
    highlighted += `${html.slice(position, start)}<span class="highlight">${html.slice(start, end)}</span>`
    position = end
  }
  return highlighted + html.slice(position)
}

/** Returns the tokens that are part of a complete match of a phrase, in text order. */
function matchingTokens(tokens: readonly SearchToken[], phrases: readonly Phrase[]): SearchToken[] {
  const found = new Set<number>()
  for (const index of tokens.keys())
    for (const phrase of phrases)
      if (matchesAt(tokens, index, phrase)) for (const offset of phrase.keys.keys()) found.add(index + offset)
  return tokens.filter((_, index) => found.has(index))
}

function matchesAt(tokens: readonly SearchToken[], index: number, { keys, beginning }: Phrase): boolean {
  if (beginning !== undefined && tokens[index]?.key.startsWith(beginning)) return true
  return keys.every((key, offset) => tokens[index + offset]?.key === key)
}
