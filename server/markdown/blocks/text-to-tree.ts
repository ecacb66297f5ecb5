import { type BlockRule, type Chunk, type Cursor, chunksOf, type ParseContext } from './chunk.ts'
import { parseFence, unfence } from './fenced.ts'
import { indentedInList, orderedList, unorderedList } from './list.ts'
import { blankLines, heading, horizontalRule, indentedCode, paragraph, quote, table } from './simple-blocks.ts'
import type { Container, Fenced } from './tree.ts'

const ITEM = /^ *([*+-]|\d\.) +/

/** Inserts a blank line above each list that directly follows text or a list of the other kind, except in code. */
function separateHangingLists(lines: readonly string[]): string[] {
  const parted: string[] = []
  const open: { marker: string; isQuote: boolean }[] = []
  for (const [index, line] of lines.entries()) {
    parted.push(line)
    const fence = parseFence(line)
    if (fence !== null) {
      if (fence.language === '' && open.at(-1)?.marker === fence.marker) open.pop()
      else open.push({ marker: fence.marker, isQuote: /^quoted?$/.test(fence.language) })
    }
    const next = lines[index + 1]
    if (next === undefined || line === '' || !open.every(({ isQuote }) => isQuote)) continue
    const marker = ITEM.exec(next)?.[1]
    if (marker !== undefined && ITEM.exec(line)?.[1]?.length !== marker.length) parted.push('')
  }
  return parted
}

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
function parseBlocks(text: string, fenced: ReadonlyMap<string, Fenced>): Container {
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

const TAB = 4

/** Parses the blocks of a message. `codeLanguage` applies to code without a language. */
export function textToTree(text: string, codeLanguage: string): Container {
  const lines = separateHangingLists(text.split('\n')).map(withoutTabs)
  // Unclosed blocks include the blank lines at the end.
  const { lines: unfenced, fenced } = unfence([...lines, '', ''], codeLanguage)
  return parseBlocks(unfenced.join('\n'), fenced)
}

/**
 * Expands tabs to the next multiple of four columns. Empties lines that consist of spaces, except for the first line.
 */
function withoutTabs(line: string, index: number): string {
  const expanded = line.includes('\t') ? expandTabs(line) : line
  return index > 0 && /^ +$/.test(expanded) ? '' : expanded
}

function expandTabs(line: string): string {
  const [first = '', ...parts] = line.split('\t')
  let expanded = first
  let column = Array.from(first).length
  for (const part of parts) {
    const spaces = TAB - (column % TAB)
    expanded += ' '.repeat(spaces) + part
    column += spaces + Array.from(part).length
  }
  return expanded
}
