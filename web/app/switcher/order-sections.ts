import { plainName } from '../../ui/text/rank.ts'

type Named = { readonly id: string; readonly entries: readonly { readonly name: string }[] }

/**
 * Leaves out empty sections. Sections whose first entry starts with the query come first, and then those in whose first
 * entry a word starts with it. Messages come after both, since a search finds the query wherever it is.
 */
export function orderSections<Section extends Named>(sections: readonly Section[], query: string): Section[] {
  const plain = plainName(query)
  const distance = ({ id, entries }: Section) => {
    const name = plainName(entries[0]?.name ?? '')
    if (id === 'messages') return 2
    if (name.startsWith(plain)) return 0
    return ` ${name}`.includes(` ${plain}`) ? 1 : 2
  }
  return sections.filter(({ entries }) => entries.length > 0).sort((one, other) => distance(one) - distance(other))
}
