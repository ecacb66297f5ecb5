import { Chunk, type Cursor, mayNest, type RemainingLines } from './chunk.ts'
import { addContainer, type Container, isItem, isList, lastBlock, loosen } from './tree.ts'

/** The indent of content that belongs to an item. */
const LIST_INDENT = '  '

type ListKind = { readonly kind: 'ordered' | 'unordered'; readonly item: RegExp }

const UNORDERED: ListKind = { kind: 'unordered', item: /^ ?([*+-]) +(.*)/ }
const ORDERED: ListKind = { kind: 'ordered', item: /^ ?(\d{1,20})\. +(.*)/ }

const INDENTED_ITEM = /^ {2,3}(?:\d+\.|[*+-]) +/

/** The lines of one item, or of the indented lists below it. */
type Item = { readonly lines: string[]; readonly isIndented: boolean }

/** Returns the items of a list that starts at the first line, and the number of the first item. */
function itemsOf(lines: readonly string[], { item }: ListKind): { items: Item[]; start: string } {
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

/**
 * Parses lines indented by two or more spaces, after a list or inside an item. They belong to the item at that indent.
 */
export function indentedInList({ parent, chunk, parseContext, parse }: Cursor): RemainingLines {
  const isInList = isItem(parent) || isList(lastBlock(parent))
  if (!isInList || parseContext === 'detabbed' || !chunk.line(0).startsWith(LIST_INDENT)) return undefined

  const { level, target } = findTarget(parent, indentOf(chunk.line(0)), parseContext === 'close item' ? 1 : 0)
  const inside = detabbed(chunk, level)
  const innerList = isItem(parent) ? lastBlock(parent) : undefined
  const lastItem = lastBlock(target)
  if (isItem(parent)) parse(isList(innerList) ? innerList : parent, inside, 'detabbed')
  else if (isItem(target)) parse(target, inside, 'detabbed')
  else if (isItem(lastItem)) {
    loosen(lastItem)
    parse(lastItem, inside, 'detabbed')
  } else parse(addContainer(target, 'item'), inside, 'detabbed')
  return null
}

/**
 * Follows the last items of nested lists down to the level that the indent reaches. Returns the level and its
 * container.
 */
function findTarget(parent: Container, indent: number, from: number): { level: number; target: Container } {
  let level = from
  let target = parent
  while (indent > level) {
    const inner = lastBlock(target)
    if (!isList(inner) && !isItem(inner)) break
    if (isList(inner)) level++
    target = inner
  }
  return { level, target }
}

function indentOf(line: string): number {
  return Math.floor((/^ */.exec(line)?.[0].length ?? 0) / LIST_INDENT.length)
}

function detabbed(chunk: Chunk, level: number): Chunk {
  const indent = LIST_INDENT.repeat(level)
  return new Chunk(chunk.lines().map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line)))
}
