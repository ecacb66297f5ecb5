/** Ids in one statement: far below the number of parameters that either database takes. */
const IDS_AT_ONCE = 5000

/** The items in portions that fit into one statement each. */
export function* batches<Item>(items: readonly Item[], size: number = IDS_AT_ONCE): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
