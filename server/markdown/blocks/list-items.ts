/** The indent of content that belongs to an item. */
export const LIST_INDENT = '  '

export type ListKind = { readonly kind: 'ordered' | 'unordered'; readonly item: RegExp }

export const UNORDERED: ListKind = { kind: 'unordered', item: /^ ?([*+-]) +(.*)/ }
export const ORDERED: ListKind = { kind: 'ordered', item: /^ ?(\d{1,20})\. +(.*)/ }

const INDENTED_ITEM = /^ {2,3}(?:\d+\.|[*+-]) +/

/** The lines of one item, or of the indented lists below it. */
export type Item = { readonly lines: string[]; readonly isIndented: boolean }

/** Returns the items of a list that starts at the first line, and the number of the first item. */
export function itemsOf(lines: readonly string[], { item }: ListKind): { items: Item[]; start: string } {
  const items: Item[] = []
  let start = ''
  for (const line of lines) {
    const match = item.exec(line)
    const last = items.at(-1)
    if (match !== null) {
      if (items.length === 0) start = match[1] ?? ''
      items.push({ lines: [match[2] ?? ''], isIndented: false })
    } else if (last !== undefined && (last.isIndented || !INDENTED_ITEM.test(line))) last.lines.push(line)
    else items.push({ lines: [line], isIndented: true })
  }
  return { items, start }
}
