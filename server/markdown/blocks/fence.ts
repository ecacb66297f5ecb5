import type { StateBlock } from 'markdown-it'
import { type Fence, findFenceEnd, holdsMarkdown, parseFence } from './fence-lines.ts'
import { lineAt, mayNest, parseNested } from './nested.ts'

/** Code, quotes, spoilers and formulas between lines of backticks or tildes. */
export function fence(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const opening = parseFence(lineAt(state, startLine))
  if (!opening) return false
  if (silent) return true

  const closing = findFenceEnd(opening, (line) => lineAt(state, line), startLine + 1, endLine)
  const lines = []
  for (let line = startLine + 1; line < closing; line++) lines.push(withoutIndent(lineAt(state, line), opening.indent))
  state.line = Math.min(closing + 1, endLine)
  pushBlock(state, opening, lines.join('\n'))
  return true
}

function pushBlock(state: StateBlock, opening: Fence, content: string): void {
  if (holdsMarkdown(opening) && mayNest(state)) {
    if (opening.language === 'quote') pushQuote(state, content)
    else pushSpoiler(state, opening.header, content)
    return
  }
  const token = state.push(opening.language === 'math' ? 'formulas' : 'listing', 'div', 0)
  token.content = content
  token.info = opening.language
}

export function pushQuote(state: StateBlock, content: string): void {
  state.push('blockquote_open', 'blockquote', 1)
  parseNested(state, content)
  state.push('blockquote_close', 'blockquote', -1)
}

function pushSpoiler(state: StateBlock, header: string, content: string): void {
  state.push('spoiler_open', 'div', 1)
  parseNested(state, header)
  state.push('spoiler_content', 'div', 0)
  parseNested(state, content)
  state.push('spoiler_close', 'div', -1)
}

function withoutIndent(line: string, indent: number): string {
  const spaces = line.length - line.trimStart().length
  return line.slice(Math.min(indent, spaces))
}
