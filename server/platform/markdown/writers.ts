import { highlight } from './code/highlight.ts'
import { formulaToHtml } from './formula.ts'
import type { Writers } from './scope.ts'

export const writers: Writers = { formulaToHtml, highlight }
