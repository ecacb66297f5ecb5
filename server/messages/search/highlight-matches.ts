import type { Phrase } from './phrases.ts'
import { type SearchToken, tokenizeHtml } from './tokens.ts'

/** HTML, with the words that were searched for marked; what stands within tags is left as it is. */
export function highlightMatches(html: string, phrases: readonly Phrase[]): string {
  const words = tokenizeHtml(html)
  let marked = ''
  let done = 0
  for (const { start, end } of matchingTokens(words, phrases)) {
    marked += `${html.slice(done, start)}<span class="highlight">${html.slice(start, end)}</span>`
    done = end
  }
  return marked + html.slice(done)
}

/** The words that belong to a phrase which is there as a whole, in the order of the text. */
function matchingTokens(words: readonly SearchToken[], phrases: readonly Phrase[]): SearchToken[] {
  const beginningWith = Map.groupBy(phrases, ([first]) => first)
  const found = new Set<number>()
  for (const [index, { key }] of words.entries()) {
    for (const phrase of beginningWith.get(key) ?? []) {
      if (phrase.every((each, offset) => words[index + offset]?.key === each))
        for (const offset of phrase.keys()) found.add(index + offset)
    }
  }
  return words.filter((_, index) => found.has(index))
}
