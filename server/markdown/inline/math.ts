import type { StateInline } from 'markdown-it'
import { contextOf } from '../context.ts'
import { element, fromCode, fromText, type Markup } from '../markup.ts'
import type { Renderers } from '../scope.ts'
import { matchHere, pushMarkup } from './push.ts'

const FORMULA = /\$\$[^\n_$](?:\\\$|[^$\n])*\$\$(?![$\p{L}\p{N}_])/uy
const MAY_PRECEDE = /[^$\p{L}\p{N}_]/u

/**
 * Parses a formula between `$$` on one line. An invalid formula is shown as typed, and other syntax inside it is
 * ignored.
 */
export function math(state: StateInline): boolean {
  const match = matchHere(state, FORMULA, MAY_PRECEDE)
  return match !== null && pushMarkup(state, formula(match[0], contextOf(state).scope.writers), FORMULA.lastIndex)
}

function formula(source: string, renderers: Renderers | null): Markup {
  if (renderers === null) return fromText(source)
  return (
    renderers.formulaToHtml(source.slice(2, -2), false) ?? element('span', { class: 'tex-error' }, fromCode(source))
  )
}
