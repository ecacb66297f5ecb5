import { openMatcher } from './find-matches.ts'
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

/** Returns the tokens that are part of a complete match of a phrase, in the order of the text. */
function matchingTokens(tokens: readonly SearchToken[], phrases: readonly Phrase[]): SearchToken[] {
  const found = new Set<number>()
  const keys = tokens.map(({ key }) => key)
  for (const { at, length } of openMatcher(phrases)(keys))
    for (let offset = 0; offset < length; offset++) found.add(at + offset)
  return tokens.filter((_, index) => found.has(index))
}
