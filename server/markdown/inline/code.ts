import type { StateInline } from 'markdown-it'
import { contextOf } from '../context.ts'
import { element, fromCode } from '../markup.ts'
import { pushMarkup } from './push.ts'

/** Parses code between two runs of the same number of backticks. Spaces inside are kept. */
export function code(state: StateInline): boolean {
  const { code: spans } = contextOf(state)
  const passed = spans.findIndex((span) => span.start >= state.pos)
  spans.splice(0, passed < 0 ? spans.length : passed)
  const span = spans[0]
  if (span?.start !== state.pos) return false
  return pushMarkup(state, element('code', {}, fromCode(span.source)), span.end)
}
