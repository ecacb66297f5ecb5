import { Chunk, chunksOf } from './chunk.ts'
import { type Cursor, mayNest, type RemainingLines } from './cursor.ts'
import { addContainer } from './tree.ts'

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
