import { Chunk } from './chunk.ts'
import { type Cursor, mayNest, type RemainingLines } from './cursor.ts'
import { type Item, itemsOf, type ListKind, ORDERED, UNORDERED } from './list-items.ts'
import { addContainer, type Container, isItem, isList, lastBlock, loosen } from './tree.ts'

export const orderedList = (cursor: Cursor): RemainingLines => list(cursor, ORDERED)
export const unorderedList = (cursor: Cursor): RemainingLines => list(cursor, UNORDERED)

/**
 * Parses items up to the end of the chunk. If only a blank line separates them from a list of the same kind, they
 * continue that list.
 */
function list(cursor: Cursor, listKind: ListKind): RemainingLines {
  const { parent, chunk, parse } = cursor
  if (!listKind.item.test(chunk.line(0)) || !mayNest(cursor)) return undefined
  const { items, start } = itemsOf(chunk.lines(), listKind)
  const previous = lastBlock(parent)
  const continued = isList(previous) && previous.kind === listKind.kind ? previous : null
  const container = continued ?? (isList(parent) ? parent : addList(parent, listKind.kind, start))
  if (continued !== null) {
    loosenLast(continued)
    const [first] = items.splice(0, 1)
    if (first !== undefined) parse(addContainer(continued, 'item'), toChunk(first), 'loose item')
  }
  for (const item of items) {
    const last = lastBlock(container)
    const target = item.isIndented && last !== undefined && isItem(last) ? last : addContainer(container, 'item')
    parse(target, toChunk(item), 'close item')
  }
  return null
}

function addList(parent: Container, kind: ListKind['kind'], start: string): Container {
  return addContainer(parent, kind, kind === 'ordered' && start !== '1' ? start : undefined)
}

/** Turns the text of the last item into paragraphs. */
function loosenLast(container: Container): void {
  const last = lastBlock(container)
  if (!isItem(last)) return
  loosen(last)
  const end = last.children.at(-1)
  if (typeof end === 'string') last.children[last.children.length - 1] = { kind: 'paragraph', text: end.trimStart() }
}

const toChunk = ({ lines }: Item) => new Chunk(lines)
