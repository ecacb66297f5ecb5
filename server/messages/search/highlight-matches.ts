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
  const byFirstKey = Map.groupBy(phrases, ({ keys }) => keys[0])
  const beginnings = phrases.flatMap(({ beginning = [] }) => beginning)
  const found = new Set<number>()
  for (const [index, { key }] of tokens.entries()) {
    if (beginnings.some((beginning) => key.startsWith(beginning))) found.add(index)
    for (const { keys } of byFirstKey.get(key) ?? []) {
      if (keys.every((each, offset) => tokens[index + offset]?.key === each))
        for (const offset of keys.keys()) found.add(index + offset)
    }
  }
  return tokens.filter((_, index) => found.has(index))
}
