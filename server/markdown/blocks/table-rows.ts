export type Alignment = 'left' | 'center' | 'right' | null

/** The cells of a row: pipes part them, but for those in code or behind a backslash; one at either end only frames the row. */
export function splitRow(line: string): string[] {
  const row = line.trim()
  const code = codeSpansOf(row)
  const cells = []
  let begin = row.startsWith('|') ? 1 : 0
  let span = 0
  for (let at = begin; at < row.length; at++) {
    if (at === code[span]?.start) {
      at = (code[span]?.end ?? at) - 1
      span++
    } else if (row[at] === '\\') at++
    else if (row[at] === '|') {
      cells.push(row.slice(begin, at))
      begin = at + 1
    }
  }
  if (begin < row.length || cells.length === 0) cells.push(row.slice(begin))
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** How the columns are aligned, or `null` when the line does not part a header from its rows. */
export function parseSeparator(line: string): Alignment[] | null {
  if (!/^[\s|:-]+$/.test(line)) return null
  const cells = splitRow(line)
  return cells.every((cell) => /^:?-+:?$/.test(cell)) ? cells.map(alignmentOf) : null
}

function alignmentOf(cell: string): Alignment {
  if (cell.endsWith(':')) return cell.startsWith(':') ? 'center' : 'right'
  return cell.startsWith(':') ? 'left' : null
}

/** In order. A run of backticks that no other of its length follows opens none. */
function codeSpansOf(row: string): { start: number; end: number }[] {
  const runs = [...row.matchAll(/`+/g)].map((match) => ({ start: match.index, length: match[0].length }))
  const spans = []
  for (let index = 0; index < runs.length; index++) {
    const run = runs[index] as { start: number; length: number }
    let closing = index + 1
    while (closing < runs.length && runs[closing]?.length !== run.length) closing++
    if (closing === runs.length) continue
    spans.push({ start: run.start, end: (runs[closing]?.start ?? 0) + run.length })
    index = closing
  }
  return spans
}
