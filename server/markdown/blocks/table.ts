import type { Cursor, RemainingLines } from './cursor.ts'
import { hasBorder, parseSeparator, splitRow } from './table-rows.ts'

/** The maximum number of missing cells in all rows together, so that few characters do not produce many cells. */
const MAX_MISSING_CELLS = 1000

/** Parses a header, a separator line, and rows up to the end of the chunk. */
export function table({ parent, chunk }: Cursor): RemainingLines {
  if (chunk.length < 2) return undefined
  const isBordered = hasBorder(chunk.line(0))
  const alignments = parseSeparator(chunk.line(1), isBordered)
  const header = alignments === null ? [] : splitRow(chunk.line(0), isBordered)
  if (alignments === null || header.length !== alignments.length) return undefined
  // A table with one column needs a pipe in each line. The pipes distinguish it from text.
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
