import { highlight } from './code/highlight.ts'
import { formulaToHtml } from './formula.ts'
import type { Renderers } from './scope.ts'

export const renderers: Renderers = { formulaToHtml, highlight }
