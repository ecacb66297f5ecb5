import type { StateInline } from 'markdown-it'
import { contextOf } from '../context.ts'

/** Where one of the other rules may begin. */
const SPECIAL = /[`@#$<[]/g

/** Runs up to the next place that may mean something. */
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
