import type { Cursor, RemainingLines } from './cursor.ts'
import { hasBorder, parseSeparator, splitRow } from './table-rows.ts'

/** Cells that rows may lack altogether, so that few characters do not make many cells. */
const MAX_MISSING_CELLS = 1000

/** A header, a line that parts it from the rows, and rows to the end of the chunk. */
export function table({ parent, chunk }: Cursor): RemainingLines {
  if (chunk.length < 2) return undefined
  const isBordered = hasBorder(chunk.line(0))
  const alignments = parseSeparator(chunk.line(1), isBordered)
  const header = alignments === null ? [] : splitRow(chunk.line(0), isBordered)
  if (alignments === null || header.length !== alignments.length) return undefined
  // A pipe in each line tells a table of one column from text.
  if (header.length === 1 && chunk.find((index) => !hasBorder(chunk.line(index))) >= 0) return undefined

  const rows = chunk
    .lines()
    .slice(2)
    .map((line) => splitRow(line, isBordered))
  const missing = rows.reduce((sum, row) => sum + Math.max(0, header.length - row.length), 0)
  if (missing > MAX_MISSING_CELLS) return undefined
  parent.children.push({ kind: 'table', rows: [header, ...rows], alignments })
  return null
}
