import type { StateInline } from 'markdown-it'
import { contextOf } from '../context.ts'

/** Characters at which another rule may start. */
const SPECIAL = /[`@#$<[]/g

/** Consumes text up to the next character that may start another rule. */
export function text(state: StateInline): boolean {
  const { links, isInLabel } = contextOf(state)
  SPECIAL.lastIndex = state.pos
  const special = SPECIAL.exec(state.src)?.index ?? state.posMax
  const link = isInLabel ? undefined : links[0]?.start
  const end = Math.min(special, link ?? state.posMax, state.posMax)
  if (end <= state.pos) return false
  state.pending += state.src.slice(state.pos, end)
  state.pos = end
  return true
}
