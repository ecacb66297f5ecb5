export type Alignment = 'left' | 'center' | 'right' | null

const END_BORDER = /(?<!\\)(?:\\\\)*\|$/
const SIGNS = /\\\\|\\`+|`+|\\\||\|/g

/** Whether a pipe stands at either end of a line, and frames the row. */
export function hasBorder(line: string): boolean {
  const row = trimSpaces(line)
  return row.startsWith('|') || END_BORDER.test(row)
}

/** The cells of a row: pipes part them, but for those in code or behind a backslash. */
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

/** How the columns are aligned, or `null` when the line does not part a header from its rows. */
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

/** Where the pipes are that part cells. A run of backticks that no other of its length follows opens no code. */
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
