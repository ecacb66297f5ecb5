import UFuzzy from '@leeoniya/ufuzzy'

/** Entries with their names as the search compares them. It is built once for each list. */
export type SearchIndex<Item> = { readonly items: readonly Item[]; readonly names: string[] }

/** Letters of all scripts, with one slip in each word. */
const fuzzy = new UFuzzy({
  unicode: true,
  interSplit: "[^\\p{L}\\d']+",
  intraSplit: '\\p{Ll}\\p{Lu}',
  intraBound: '\\p{L}\\d|\\d\\p{L}|\\p{Ll}\\p{Lu}',
  intraChars: "[\\p{L}\\d']",
  intraContr: "'\\p{L}{1,2}\\b",
  intraMode: 1,
})

/** Returns a name without case and accents. */
export const plainName = (name: string): string => name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

export const toSearchIndex = <Item>(items: readonly Item[], nameOf: (item: Item) => string): SearchIndex<Item> => ({
  items,
  names: items.map((item) => plainName(nameOf(item))),
})

const WORD_STARTS = [' ', '-', '_', '.', '(']

/** How well a name matches: from its start, from the start of a word, or in some other way. */
function tierOf(name: string, query: string): number {
  if (name.startsWith(query)) return 0
  if (WORD_STARTS.some((sign) => name.includes(sign + query))) return 1
  return name.includes(query) ? 2 : 3
}

/**
 * Returns the best matches. `weightOf` is at most 0: entries with less come first among those that match from the start of
 * a word. Entries with equal weights are in the order of the index.
 */
export function rank<Item>(
  { items, names }: SearchIndex<Item>,
  query: string,
  limit: number,
  weightOf: (item: Item) => number = () => 0,
): Item[] {
  const plain = plainName(query).trim()
  const found = plain === '' ? names.keys() : (matches(names, plain) ?? [])
  const best: { item: Item; score: number }[] = []
  for (const index of found) {
    const tier = plain === '' ? 0 : tierOf(names[index]!, plain)
    const weight = weightOf(items[index]!)
    const score = tier * 100 + weight * (tier < 2 ? 1000 : 1)
    if (best.length === limit && score >= best[limit - 1]!.score) continue
    let at = best.length
    while (at > 0 && best[at - 1]!.score > score) at -= 1
    best.splice(at, 0, { item: items[index]!, score })
    if (best.length > limit) best.pop()
  }
  const isShort = plain.length < MIN_FUZZY && best.some(({ score }) => score < FUZZY_SCORE)
  return best.filter(({ score }) => !isShort || score < FUZZY_SCORE).map(({ item }) => item)
}

/** The length of a query from which matches within words are shown beside better ones. */
const MIN_FUZZY = 3

/** The lowest score of matches within words, without their weights. */
const FUZZY_SCORE = 150

/** Characters with a meaning for the search are not part of names. */
function matches(names: string[], query: string): readonly number[] | null {
  const words = query.replace(/["-]/g, ' ').trim()
  return words === '' ? null : fuzzy.filter(names, words)
}
