import { refusal } from '#lib/errors/refusal.ts'
import { countKeys, type Phrase } from '../search/phrases.ts'

export const badNarrow = refusal('BAD_NARROW', 400, 'Invalid narrow operator: {desc}', {
  field: 'narrow',
  extras: ({ desc }) => ({ desc }),
})

/**
 * The maximum number of words in a search. The beginning of a word counts as several words. Each word costs a lookup in
 * the index, and time to find it in the results.
 */
const MAX_WORDS = 100

export function requireFewWords(phrases: readonly Phrase[]): void {
  if (countKeys(phrases) > MAX_WORDS) throw badNarrow({ desc: 'too many words' })
}
