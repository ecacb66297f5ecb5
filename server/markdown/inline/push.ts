import type { StateInline } from 'markdown-it'
import type { Markup } from '../markup.ts'

/** Adds finished markup. Later rules do not look into it. `end` is the position after the source of the markup. */
export function pushMarkup(state: StateInline, html: Markup, end: number): true {
  state.push('markup', '', 0).content = html
  state.pos = end
  return true
}

/** Matches a sticky pattern at the parser's position if an allowed character (or the beginning) precedes it. */
export function matchHere(state: StateInline, pattern: RegExp, mayPrecede: RegExp): RegExpExecArray | null {
  if (state.pos > 0 && !mayPrecede.test(state.src.charAt(state.pos - 1))) return null
  pattern.lastIndex = state.pos
  const match = pattern.exec(state.src)
  return pattern.lastIndex > state.posMax ? null : match
}
