import type { StateInline } from 'markdown-it'
import { fromText } from '../markup.ts'
import { matchHere, pushMarkup } from './push.ts'

const FORMULA = /\$\$[^\n_$](?:\\\$|[^$\n])*\$\$(?![$\p{L}\p{N}_])/uy
const MAY_PRECEDE = /[^$\p{L}\p{N}_]/u

/** `$$…$$` on one line keeps its source, in which nothing else has a meaning. */
export function math(state: StateInline): boolean {
  const match = matchHere(state, FORMULA, MAY_PRECEDE)
  return match !== null && pushMarkup(state, fromText(match[0]), FORMULA.lastIndex)
}
