/** The maximum number of suggestions. */
const MAX_ROWS = 8

/**
 * Returns the items whose name contains the query. Names that start with the query come first, then names with another
 * word that starts with it.
 */
export function matchNames<Item>(items: readonly Item[], nameOf: (item: Item) => string, query: string): Item[] {
  const typed = query.trim().toLowerCase()
  const tierOf = (name: string) => (name.startsWith(typed) ? 0 : name.includes(` ${typed}`) ? 1 : 2)
  return items
    .map((item) => ({ item, name: nameOf(item).toLowerCase() }))
    .filter(({ name }) => name.includes(typed))
    .sort((one, other) => tierOf(one.name) - tierOf(other.name))
    .slice(0, MAX_ROWS)
    .map(({ item }) => item)
}
