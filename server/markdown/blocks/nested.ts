import type { StateBlock } from 'markdown-it'
import { contextOf } from '../context.ts'

/** Quotes, spoilers and lists lie at most this deep in one another; what is deeper stays text, so that time stays linear. */
const DEEPEST = 20

export function mayNest(state: StateBlock): boolean {
  return contextOf(state).depth < DEEPEST
}

/** Parses what a quote, spoiler or list item holds, its own marks taken off. */
export function parseNested(state: StateBlock, text: string): void {
  const context = contextOf(state)
  context.depth++
  state.md.block.parse(text, state.md, state.env, state.tokens)
  context.depth--
}

export function lineAt(state: StateBlock, line: number): string {
  return state.src.slice(state.bMarks[line], state.eMarks[line])
}

/** Whether a block of another kind begins on this line, though no blank line parts it from the `kind` before. */
export function isInterrupted(state: StateBlock, kind: string, line: number, endLine: number): boolean {
  return state.md.block.ruler.getRules(kind).some((rule) => rule(state, line, endLine, true))
}
