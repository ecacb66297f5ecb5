import { plainName } from '../../ui/text/rank.ts'

type Named = { readonly entries: readonly { readonly name: string }[] }

/** Leaves out empty sections, and moves sections whose first entry starts with the query to the front. */
export function orderSections<Section extends Named>(sections: readonly Section[], query: string): Section[] {
  const plain = plainName(query)
  const distance = ({ entries }: Section) => (plainName(entries[0]?.name ?? '').startsWith(plain) ? 0 : 1)
  return sections.filter(({ entries }) => entries.length > 0).sort((one, other) => distance(one) - distance(other))
}
