import createParser, { type MarkdownIt, type StateInline } from 'markdown-it'
import { contextOf, matchHere, pushMarkup } from '../context.ts'
import { element, fromCode, fromText, type Markup } from '../markup.ts'
import type { Renderers } from '../scope.ts'
import { autolink, link } from './link.ts'
import { channelLink, groupMention, userMention } from './mention.ts'
import { timestamp } from './timestamp.ts'

/** Parses code between two runs of the same number of backticks. Spaces inside are kept. */
function code(state: StateInline): boolean {
  const { code: spans } = contextOf(state)
  const passed = spans.findIndex((span) => span.start >= state.pos)
  spans.splice(0, passed < 0 ? spans.length : passed)
  const span = spans[0]
  if (span?.start !== state.pos) return false
  return pushMarkup(state, element('code', {}, fromCode(span.source)), span.end)
}

const FORMULA = /\$\$[^\n_$](?:\\\$|[^$\n])*\$\$(?![$\p{L}\p{N}_])/uy
const MAY_PRECEDE_FORMULA = /[^$\p{L}\p{N}_]/u

/**
 * Parses a formula between `$$` on one line. An invalid formula is shown as typed, and other syntax inside it is
 * ignored.
 */
function math(state: StateInline): boolean {
  const match = matchHere(state, FORMULA, MAY_PRECEDE_FORMULA)
  return match !== null && pushMarkup(state, formula(match[0], contextOf(state).scope.writers), FORMULA.lastIndex)
}

function formula(source: string, renderers: Renderers | null): Markup {
  if (renderers === null) return fromText(source)
  return (
    renderers.formulaToHtml(source.slice(2, -2), false) ?? element('span', { class: 'tex-error' }, fromCode(source))
  )
}

/** Characters at which another rule may start. */
const MAY_START_RULE = /[`@#$<[]/g

/** Consumes text up to the next character that may start another rule. */
function text(state: StateInline): boolean {
  const { links, isInLabel } = contextOf(state)
  MAY_START_RULE.lastIndex = state.pos
  const special = MAY_START_RULE.exec(state.src)?.index ?? state.posMax
  const link = isInLabel ? undefined : links[0]?.start
  const end = Math.min(special, link ?? state.posMax, state.posMax)
  if (end <= state.pos) return false
  state.pending += state.src.slice(state.pos, end)
  state.pos = end
  return true
}

/** The rules in order of precedence. */
const INLINE_RULES = { code, userMention, math, channelLink, timestamp, groupMention, link, autolink, text }

/**
 * The parser of text inside blocks; `blocks/` finds the blocks. Emphasis, emoji and line breaks are handled afterwards
 * in the remaining text, because links and code take precedence over them, wherever they start.
 */
export const dialect = buildDialect()

function buildDialect(): MarkdownIt {
  const parser = new createParser('zero', { html: false, maxNesting: 1000 })
  const inline = parser.inline.ruler
  for (const [name, rule] of Object.entries(INLINE_RULES)) inline.push(`chat ${name}`, rule)
  inline.enableOnly(Object.keys(INLINE_RULES).map((name) => `chat ${name}`))
  parser.inline.ruler2.enableOnly([])
  return parser
}
