import { type Chunk, chunksOf } from './chunk.ts'
import type { BlockRule, Cursor, ParseContext } from './cursor.ts'
import { indentedCode } from './indented-code.ts'
import { indentedInList } from './indented-in-list.ts'
import { orderedList, unorderedList } from './list.ts'
import { quote } from './quote.ts'
import { blankLines, heading, horizontalRule, paragraph } from './simple-blocks.ts'
import { table } from './table.ts'
import type { Container, Fenced } from './tree.ts'

/** The rules in order of precedence. */
const RULES: readonly BlockRule[] = [
  ...[
    blankLines,
    indentedInList,
    indentedCode,
    heading,
    table,
    horizontalRule,
    orderedList,
    unorderedList,
    quote,
    paragraph,
  ],
]

/** Parses the blocks of text whose fenced blocks are placeholders. */
export function parseBlocks(text: string, fenced: ReadonlyMap<string, Fenced>): Container {
  const root: Container = { kind: 'root', depth: 0, children: [] }
  for (const chunk of chunksOf(text)) parse(root, chunk, null)
  return root

  function parse(parent: Container, chunk: Chunk, parseContext: ParseContext): void {
    let rest: Chunk | null = chunk
    while (rest !== null) rest = parseBlock({ parent, chunk: rest, parseContext, parse })
  }

  function parseBlock(cursor: Cursor): Chunk | null {
    const block = fenced.get(cursor.chunk.line(0))
    if (block !== undefined) {
      cursor.parent.children.push(block)
      return cursor.chunk.after(1)
    }
    for (const rule of RULES) {
      const outcome = rule(cursor)
      if (outcome !== undefined) return outcome
    }
    return null
  }
}
