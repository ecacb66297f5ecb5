export type Alignment = 'left' | 'center' | 'right' | null

const END_BORDER = /(?<!\\)(?:\\\\)*\|$/
const SIGNS = /\\\\|\\`+|`+|\\\||\|/g

/** Returns whether the line starts or ends with a pipe that frames the row. */
export function hasBorder(line: string): boolean {
  const row = trimSpaces(line)
  return row.startsWith('|') || END_BORDER.test(row)
}

/** Splits a row at its pipes, except for pipes in code or after a backslash. */
export function splitRow(line: string, isBordered: boolean): string[] {
  const row = isBordered ? withoutBorders(trimSpaces(line)) : trimSpaces(line)
  const cells: string[] = []
  let begin = 0
  for (const pipe of pipesOf(row)) {
    cells.push(row.slice(begin, pipe))
    begin = pipe + 1
  }
  return [...cells, row.slice(begin)].map(trimSpaces)
}

/** Returns the alignments of the columns, or `null` if the line does not separate a header from rows. */
export function parseSeparator(line: string, isBordered: boolean): Alignment[] | null {
  return /^[|:\- ]*$/.test(line) ? splitRow(line, isBordered).map(alignmentOf) : null
}

function alignmentOf(cell: string): Alignment {
  if (cell.endsWith(':')) return cell.startsWith(':') ? 'center' : 'right'
  return cell.startsWith(':') ? 'left' : null
}

function withoutBorders(row: string): string {
  return (row.startsWith('|') ? row.slice(1) : row).replace(END_BORDER, '')
}

const trimSpaces = (text: string) => text.replace(/^ +/, '').trimEnd()

/** Returns the positions of pipes that separate cells. Backticks without a matching run do not start code. */
function pipesOf(row: string): number[] {
  const signs = Array.from(row.matchAll(SIGNS), ({ 0: sign, index }) => ({ sign, index, ticks: ticksOf(sign) }))
  const unmatched = new Set<number>()
  const pipes: number[] = []
  for (let at = 0; at < signs.length; at++) {
    const { sign, index, ticks } = signs[at] as (typeof signs)[number]
    if (sign === '|') pipes.push(index)
    const opening = sign.startsWith('\\') ? ticks - 1 : ticks
    if (opening < 1 || unmatched.has(opening)) continue
    const closing = signs.findIndex((other, later) => later > at && other.ticks === opening)
    if (closing < 0) unmatched.add(opening)
    else at = closing
  }
  return pipes
}

const ticksOf = (sign: string) => sign.replaceAll('\\', '').replaceAll('|', '').length
