import { Chunk } from './chunk.ts'
import type { Cursor, RemainingLines } from './cursor.ts'
import { lastBlock } from './tree.ts'

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
