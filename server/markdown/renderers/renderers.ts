import type { Renderers } from '../scope.ts'
import { formulaToHtml } from './formula.ts'
import { highlight } from './highlight.ts'

export const renderers: Renderers = { formulaToHtml, highlight }
