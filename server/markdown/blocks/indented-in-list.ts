import { Chunk } from './chunk.ts'
import type { Cursor, RemainingLines } from './cursor.ts'
import { LIST_INDENT } from './list-items.ts'
import { addContainer, type Container, isItem, isList, lastBlock, loosen } from './tree.ts'

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
