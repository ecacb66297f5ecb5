import { Chunk } from './chunk.ts'
import type { Cursor, RemainingLines } from './cursor.ts'
import { LIST_INDENT } from './list-items.ts'
import { addContainer, type Container, isItem, isList, lastBlock, loosen } from './tree.ts'

/** Lines that are indented by two spaces or more, after a list or inside an item, belong to the item at that indent. */
export function indentedInList({ parent, chunk, standing: parseContext, parse }: Cursor): RemainingLines {
  const isInList = isItem(parent) || isList(lastBlock(parent))
  if (!isInList || parseContext === 'detabbed' || !chunk.line(0).startsWith(LIST_INDENT)) return undefined

  const { level, home: commitCounters } = findHome(
    parent,
    indentOf(chunk.line(0)),
    parseContext === 'close item' ? 1 : 0,
  )
  const inside = detabbed(chunk, level)
  const innerList = isItem(parent) ? lastBlock(parent) : undefined
  const lastItem = lastBlock(commitCounters)
  if (isItem(parent)) parse(isList(innerList) ? innerList : parent, inside, 'detabbed')
  else if (isItem(commitCounters)) parse(commitCounters, inside, 'detabbed')
  else if (isItem(lastItem)) {
    loosen(lastItem)
    parse(lastItem, inside, 'detabbed')
  } else parse(addContainer(commitCounters, 'item'), inside, 'detabbed')
  return null
}

/** Returns the level of the nested lists that the indent reaches, following the last item of each list. */
function findHome(parent: Container, indent: number, from: number): { level: number; home: Container } {
  let level = from
  let commitCounters = parent
  while (indent > level) {
    const inner = lastBlock(commitCounters)
    if (!isList(inner) && !isItem(inner)) break
    if (isList(inner)) level++
    commitCounters = inner
  }
  return { level, home: commitCounters }
}

function indentOf(line: string): number {
  return Math.floor((/^ */.exec(line)?.[0].length ?? 0) / LIST_INDENT.length)
}

function detabbed(chunk: Chunk, level: number): Chunk {
  const indent = LIST_INDENT.repeat(level)
  return new Chunk(chunk.lines().map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line)))
}
