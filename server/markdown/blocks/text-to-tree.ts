import { unfence } from './fenced.ts'
import { separateHangingLists } from './hanging-lists.ts'
import { parseBlocks } from './parse-blocks.ts'
import type { Container } from './tree.ts'

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
