/** The maximum number of suggestions. */
const MAX_ROWS = 8

/**
 * Returns the items whose name contains the query, or whose further text, such as an email address, starts with it.
 * The query itself comes first, then names that start with it, then names with another word that starts with it.
 */
export function matchNames<Item>(
  items: readonly Item[],
  textsOf: (item: Item) => readonly string[],
  query: string,
): Item[] {
  const typed = query.trim().toLowerCase()
  return items
    .map((item) => ({ item, tier: tierOf(textsOf(item), typed) }))
    .filter(({ tier }) => tier < NO_MATCH)
    .sort((one, other) => one.tier - other.tier)
    .slice(0, MAX_ROWS)
    .map(({ item }) => item)
}

const NO_MATCH = 5

function tierOf([first = '', ...further]: readonly string[], typed: string): number {
  const name = first.toLowerCase()
  if (name === typed) return 0
  if (name.startsWith(typed)) return 1
  if (name.includes(` ${typed}`)) return 2
  if (name.includes(typed)) return 3
  return further.some((text) => text.toLowerCase().startsWith(typed)) ? 4 : NO_MATCH
}
