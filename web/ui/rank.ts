import UFuzzy from '@leeoniya/ufuzzy'
import { plainName } from '#rules/plain-name.ts'

/**
 * The entries of a list, with their names in the form that the search compares. An index is built once for each list.
 */
export type SearchIndex<Item> = { readonly items: readonly Item[]; readonly names: string[] }

/** A search that accepts one typo in each word, in all scripts. */
const fuzzy = new UFuzzy({
  unicode: true,
  interSplit: "[^\\p{L}\\d']+",
  intraSplit: '\\p{Ll}\\p{Lu}',
  intraBound: '\\p{L}\\d|\\d\\p{L}|\\p{Ll}\\p{Lu}',
  intraChars: "[\\p{L}\\d']",
  intraContr: "'\\p{L}{1,2}\\b",
  intraMode: 1,
})

export const toSearchIndex = <Item>(items: readonly Item[], nameOf: (item: Item) => string): SearchIndex<Item> => ({
  items,
  names: items.map((item) => plainName(nameOf(item))),
})

const WORD_STARTS = [' ', '-', '_', '.', '(']

/**
 * The minimum length of a query that finds typos, and that finds matches within words even if there are better matches.
 */
const MIN_FUZZY = 3

/**
 * The kinds of matches, best first: the whole name, at the start of the name, at the start of a word, within a word, and
 * with a typo.
 */
const Tier = { exact: 0, start: 1, word: 2, within: 3, fuzzy: 4 } as const

/** Returns the `Tier` of the query's match in a name; null if the name does not contain the query. */
function tierOf(name: string, query: string): number | null {
  if (name === query) return Tier.exact
  const at = name.indexOf(query)
  if (at <= 0) return at === 0 ? Tier.start : null
  return WORD_STARTS.some((sign) => name.includes(sign + query)) ? Tier.word : Tier.within
}

/**
 * Returns the best matches, best first. `weightOf` returns at most 0. Entries whose whole name is the query come first.
 * Among the others that match at the start of a word, those with a lower weight come first. Entries with equal weights keep the order of the index.
 */
export function rank<Item>(
  { items, names }: SearchIndex<Item>,
  query: string,
  limit: number,
  weightOf: (item: Item) => number = () => 0,
): Item[] {
  const plain = plainName(query).trim()
  const best: Match<Item>[] = []
  for (let index = 0; index < names.length; index++) {
    const tier = tierOf(names[index]!, plain)
    if (tier !== null) insert(best, { item: items[index]!, tier, weight: weightOf(items[index]!) }, limit)
  }
  const hasGood = best.some(({ tier }) => tier <= Tier.word)
  if (plain.length < MIN_FUZZY && hasGood) return best.filter(({ tier }) => tier <= Tier.word).map(({ item }) => item)
  // Typos are considered only if too few names match exactly, so that most keystrokes avoid the slower search.
  if (best.length < limit && plain.length >= MIN_FUZZY)
    for (const index of fuzzyMatches(names, plain))
      if (!best.some(({ item }) => item === items[index]))
        insert(best, { item: items[index]!, tier: Tier.fuzzy, weight: weightOf(items[index]!) }, limit)
  return best.map(({ item }) => item)
}

type Match<Item> = { readonly item: Item; readonly tier: number; readonly weight: number }

/**
 * Returns the score of a match; lower scores are better. For a match at the start of a word, the weight counts more
 * than the tier. The whole name is better than any weight.
 */
const scoreOf = ({ tier, weight }: Match<unknown>) =>
  tier === Tier.exact ? weight - 100_000 : tier * 100 + weight * (tier <= Tier.word ? 1000 : 1)

/** Inserts a match by its score, and drops matches beyond the limit. */
function insert<Item>(best: Match<Item>[], match: Match<Item>, limit: number): void {
  const score = scoreOf(match)
  if (best.length === limit && score >= scoreOf(best[limit - 1]!)) return
  let at = best.length
  while (at > 0 && scoreOf(best[at - 1]!) > score) at -= 1
  best.splice(at, 0, match)
  if (best.length > limit) best.pop()
}

/**
 * Returns the positions of the names that match with typos. Characters with a special meaning in queries are ignored.
 */
function fuzzyMatches(names: string[], query: string): readonly number[] {
  const words = query.replace(/["-]/g, ' ').trim()
  return words === '' ? [] : (fuzzy.filter(names, words) ?? [])
}
