import { element, fromCodeBlock, joinMarkup, type Markup, nothing } from '../markup.ts'
import type { Renderers } from '../scope.ts'

const BETWEEN = '\n\n' as Markup

/** Renders a block of formulas. Blank lines separate the formulas. */
export function formulasToHtml(source: string, { formulaToHtml }: Renderers): Markup {
  const formulas = source.split('\n\n').map((formula) => formulaToHtml(formula, true) ?? brokenFormula(formula))
  return element('p', {}, joinMarkup(...formulas.flatMap((html, at) => [at === 0 ? nothing : BETWEEN, html])))
}

/** Renders an invalid formula as its source. */
function brokenFormula(source: string): Markup {
  return element('span', { class: 'tex-error' }, fromCodeBlock(source).replaceAll('&#39;', '&#x27;') as Markup)
}
