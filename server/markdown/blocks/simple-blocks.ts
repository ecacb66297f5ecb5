import { Chunk, type Cursor, chunksOf, mayNest, type RemainingLines } from './chunk.ts'
import { hasBorder, parseSeparator, splitRow } from './table-rows.ts'
import { addContainer, lastBlock } from './tree.ts'

const RULE = /^ {0,3}(?:(?:- {0,2}){3,}|(?:_ {0,2}){3,}|(?:\* {0,2}){3,}) *$/
const HEADING = /^(#{1,6})(?:\s(.*))?$/s

/** Parses blank lines. They separate blocks. Inside code, they belong to the code. */
export function blankLines({ parent, chunk }: Cursor): RemainingLines {
  if (chunk.line(0) !== '') return undefined
  const previous = lastBlock(parent)
  if (previous?.kind === 'indented code') previous.text += chunk.length === 1 ? '\n\n' : '\n'
  return chunk.after(1)
}

/**
 * Parses a line that starts with number signs, anywhere in the chunk. Number signs alone make the next line a heading.
 */
export function heading({ parent, chunk, parseContext, parse }: Cursor): RemainingLines {
  const at = chunk.findHeading((index) => headingAt(chunk, index) !== null)
  const found = at < 0 ? null : headingAt(chunk, at)
  if (found === null) return undefined
  const before = chunk.before(at)
  if (before !== null) parse(parent, before, parseContext)
  parent.children.push({ kind: 'heading', level: found.level, text: found.text })
  return chunk.after(at + found.lines)
}

type Heading = { level: number; text: string; lines: number }

function headingAt(chunk: Chunk, index: number): Heading | null {
  const match = HEADING.exec(chunk.line(index))
  if (match === null) return null
  const [, signs = '', rest] = match
  if (rest === undefined && index + 1 >= chunk.length) return null
  const text = withoutClosingSigns(rest ?? chunk.line(index + 1))
  return text === null ? null : { level: signs.length, text: text.trim(), lines: rest === undefined ? 2 : 1 }
}

/**
 * Removes the number signs at the end of the line. Returns null if the line ends in an escaping backslash: it is not a
 * heading.
 */
function withoutClosingSigns(line: string): string | null {
  let end = line.length
  while (line[end - 1] === '#') end--
  let backslashes = 0
  while (line[end - 1 - backslashes] === '\\') backslashes++
  if (backslashes % 2 === 0) return line.slice(0, end)
  return end === line.length ? null : line.slice(0, end + 1)
}

/** Parses a line of three or more hyphens, underscores or asterisks, anywhere in the chunk. */
export function horizontalRule({ parent, chunk, parseContext, parse }: Cursor): RemainingLines {
  const at = chunk.find((index) => RULE.test(chunk.line(index)))
  if (at < 0) return undefined
  const before = chunk.before(at)
  if (before !== null) parse(parent, before, parseContext)
  parent.children.push({ kind: 'rule' })
  return chunk.after(at + 1)
}

/** Parses all other lines. In a tight list, these lines are text without a paragraph. */
export function paragraph({ parent, chunk, parseContext }: Cursor): RemainingLines {
  const text = chunk.text()
  if (text.trim() === '') return null
  const { children } = parent
  const last = children.at(-1)
  if (parseContext !== 'close item') children.push({ kind: 'paragraph', text: text.trimStart() })
  else if (typeof last === 'string') children[children.length - 1] = `${last}\n${text}`
  else children.push(last === undefined ? text.trimStart() : `\n${text}`)
  return null
}

const INDENT = '    '

/** Parses lines that are indented by four spaces. They stay one code block across blank lines. */
export function indentedCode({ parent, chunk }: Cursor): RemainingLines {
  if (!chunk.line(0).startsWith(INDENT)) return undefined
  const end = chunk.find((index) => !chunk.line(index).startsWith(INDENT) && chunk.line(index).trim() !== '')
  const lines = (end < 0 ? chunk : (chunk.before(end) ?? new Chunk([]))).lines()
  const code = lines
    .map((line) => (line.startsWith(INDENT) ? line.slice(INDENT.length) : ''))
    .join('\n')
    .trimEnd()
  const previous = lastBlock(parent)
  if (previous?.kind === 'indented code') previous.text += `\n${code}\n`
  else parent.children.push({ kind: 'indented code', text: `${code}\n` })
  return end < 0 ? null : chunk.after(end)
}

const MARK = /^ {0,3}> ?/
const EMPTY = /^ {0,3}>\s*$/

/**
 * Parses a quote. It extends from the first line that starts with `>` to the end of the chunk. A quote without content
 * is text.
 */
export function quote(cursor: Cursor): RemainingLines {
  const { parent, chunk, parseContext, parse } = cursor
  const at = chunk.find((index) => MARK.test(chunk.line(index)))
  if (at < 0 || !mayNest(cursor) || !isFilled(chunk, at)) return undefined
  const before = chunk.before(at)
  if (before !== null) parse(parent, before, parseContext)
  const inside = (chunk.after(at) ?? new Chunk([])).lines().map(withoutMark).join('\n')
  const container = addContainer(parent, 'quote')
  for (const inner of chunksOf(inside)) parse(container, inner, 'quoted')
  return null
}

function isFilled(chunk: Chunk, from: number): boolean {
  for (let index = from; index < chunk.length; index++) if (!EMPTY.test(chunk.line(index))) return true
  return false
}

function withoutMark(line: string): string {
  return line.trim() === '>' ? '' : line.replace(MARK, '')
}

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
