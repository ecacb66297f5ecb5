import type { Organization } from '../../../store/organization.ts'

export type Linkifier = Organization['realm_linkifiers'][number]

/** Returns the items with the item at `at` moved by one position. */
export function moveItem<Item>(items: readonly Item[], at: number, step: -1 | 1): Item[] {
  return items.with(at, items[at + step]!).with(at + step, items[at]!)
}
