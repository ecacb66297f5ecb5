import type { Chunk } from './chunk.ts'
import type { Cursor, RemainingLines } from './cursor.ts'
import { lastBlock } from './tree.ts'

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
