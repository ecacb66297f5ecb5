import type { StateBlock } from 'markdown-it'
import { lineAt } from './nested.ts'
import { type Alignment, parseSeparator, splitRow } from './table-rows.ts'

/** Cells that rows may lack altogether; a table that lacks more ends there, so that few characters do not make many cells. */
const MOST_MISSING_CELLS = 1000

/** A header, a line that parts it from the rows, and rows up to a blank line. */
export function table(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (silent || startLine + 1 >= endLine) return false
  const headerLine = lineAt(state, startLine)
  const alignments = headerLine.includes('|') ? parseSeparator(lineAt(state, startLine + 1)) : null
  const header = alignments ? splitRow(headerLine) : []
  if (!alignments || header.length !== alignments.length) return false

  const { rows, nextLine } = collectRows(state, alignments.length, startLine + 2, endLine)
  state.push('table_open', 'table', 1)
  state.push('thead_open', 'thead', 1)
  pushRow(state, 'th', header, alignments)
  state.push('thead_close', 'thead', -1)
  state.push('tbody_open', 'tbody', 1)
  // Clients expect a row, if one of empty cells.
  for (const row of rows.length === 0 ? [[]] : rows) pushRow(state, 'td', row, alignments)
  state.push('tbody_close', 'tbody', -1)
  state.push('table_close', 'table', -1)
  state.line = nextLine
  return true
}

function collectRows(
  state: StateBlock,
  columns: number,
  from: number,
  endLine: number,
): { rows: string[][]; nextLine: number } {
  const rows = []
  let missing = 0
  let line = from
  for (; line < endLine && !state.isEmpty(line); line++) {
    const cells = splitRow(lineAt(state, line))
    missing += Math.max(0, columns - cells.length)
    if (missing > MOST_MISSING_CELLS) break
    rows.push(cells)
  }
  return { rows, nextLine: line }
}

function pushRow(state: StateBlock, tag: 'th' | 'td', cells: string[], alignments: Alignment[]): void {
  state.push('tr_open', 'tr', 1)
  for (const [index, alignment] of alignments.entries()) {
    const opening = state.push(`${tag}_open`, tag, 1)
    if (alignment) opening.attrSet('style', `text-align: ${alignment};`)
    state.push('inline', '', 0).content = cells[index] ?? ''
    state.push(`${tag}_close`, tag, -1)
  }
  state.push('tr_close', 'tr', -1)
}
