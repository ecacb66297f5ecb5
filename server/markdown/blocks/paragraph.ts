import type { StateBlock } from 'markdown-it'
import { isInterrupted, lineAt } from './nested.ts'

/** Lines up to a blank one or the beginning of another block. White space inside and at the end stays as written. */
export function paragraph(state: StateBlock, startLine: number, endLine: number): boolean {
  let next = startLine + 1
  while (next < endLine && !state.isEmpty(next) && !interrupts(state, next, endLine)) next++
  const lines = []
  for (let line = startLine; line < next; line++) lines.push(lineAt(state, line))

  state.line = next
  state.push('paragraph_open', 'p', 1)
  const inline = state.push('inline', '', 0)
  inline.content = lines.join('\n').trimStart()
  inline.children = []
  state.push('paragraph_close', 'p', -1)
  return true
}

/** A line indented like code only continues the paragraph. */
function interrupts(state: StateBlock, line: number, endLine: number): boolean {
  return (state.sCount[line] ?? 0) < 4 && isInterrupted(state, 'paragraph', line, endLine)
}
