/** The maximum number of ids in one statement. It is far below the maximum number of parameters of both databases. */
const IDS_AT_ONCE = 5000

/** Splits the items into batches that fit into one statement each. */
export function* batches<Item>(items: readonly Item[], size: number = IDS_AT_ONCE): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
