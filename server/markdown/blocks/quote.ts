import type { StateBlock } from 'markdown-it'
import { pushQuote } from './fence.ts'
import { isInterrupted, lineAt, mayNest } from './nested.ts'

const MARKED = /^ {0,3}> ?/

/** Lines that begin with `>`, and those that follow them without a blank line. A quote without content is text. */
export function quote(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const first = lineAt(state, startLine)
  if (!MARKED.test(first) || !mayNest(state)) return false
  if (silent) return isFilled(first.replace(MARKED, ''))

  const lines = []
  let line = startLine
  for (; line < endLine && !state.isEmpty(line); line++) {
    const text = lineAt(state, line)
    if (!MARKED.test(text) && isInterrupted(state, 'blockquote', line, endLine)) break
    lines.push(text.replace(MARKED, ''))
  }
  if (!lines.some(isFilled)) return false
  state.line = line
  pushQuote(state, lines.join('\n'))
  return true
}

function isFilled(line: string): boolean {
  return line.trim() !== ''
}
