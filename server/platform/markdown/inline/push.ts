import type { StateInline } from 'markdown-it'
import type { Markup } from '../markup.ts'

/** Finished markup, which nothing later looks into. `end` is the place after its source. */
export function pushMarkup(state: StateInline, html: Markup, end: number): true {
  state.push('markup', '', 0).content = html
  state.pos = end
  return true
}

/** The match of a sticky pattern at the parser's place, if one of the allowed characters (or the beginning) is before it. */
export function matchHere(state: StateInline, pattern: RegExp, mayPrecede: RegExp): RegExpExecArray | null {
  if (state.pos > 0 && !mayPrecede.test(state.src.charAt(state.pos - 1))) return null
  pattern.lastIndex = state.pos
  const match = pattern.exec(state.src)
  return pattern.lastIndex > state.posMax ? null : match
}
