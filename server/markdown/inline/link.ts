import type { StateInline } from 'markdown-it'
import { contextOf } from '../context.ts'
import { relativeUrl, safeUrl } from '../links/url.ts'
import { element, fromText, joinMarkup, type Markup, nothing } from '../markup.ts'
import { findTarget } from './link-target.ts'
import { pushMarkup } from './push.ts'

/** The maximum nesting of brackets in a label. The limit keeps the search for its end linear. */
const MAX_NESTING = 10

/** Parses `[label](address "title")`. Links with a forbidden address stay text, and images do as well. */
export function link(state: StateInline): boolean {
  const { src, pos } = state
  if (src[pos] !== '[' || src[pos - 1] === '!' || contextOf(state).isInLabel) return false
  const labelEnd = findEndOfLabel(state)
  if (labelEnd === null || src[labelEnd + 1] !== '(') return false
  const target = findTarget(src, labelEnd + 1)
  if (target === null || target.end > state.posMax) return false

  const url = target.address === '' ? 'http://' : safeUrl(target.address)
  if (url === null) return false
  const { shownLinks, scope } = contextOf(state)
  const href = relativeUrl(url, scope.realmUrls)
  const label = src.slice(pos + 1, labelEnd)
  const isBlank = label.trim() === ''
  const content = isBlank ? fromText(href) : labelToHtml(state, labelEnd)
  shownLinks.push({ url: href, text: isBlank ? href : label })
  const attributes = target.title === undefined ? { href } : { href, title: target.title }
  return pushMarkup(state, element('a', attributes, content), target.end)
}

/** Returns the position of the bracket that closes the label. Brackets inside code do not count. */
function findEndOfLabel(state: StateInline): number | null {
  const { code } = contextOf(state)
  let depth = 0
  for (let at = state.pos; at < state.posMax; at++) {
    const span = state.src[at] === '`' ? code.find(({ start }) => start === at) : undefined
    if (span !== undefined) at = span.end - 1
    if (state.src[at] === '[' && ++depth > MAX_NESTING) return null
    if (state.src[at] === ']' && --depth === 0) return at
  }
  return null
}

/** Renders the label of a link. The label may contain everything that takes precedence over links. */
function labelToHtml({ src, md, env, pos }: StateInline, end: number): Markup {
  const inside = new md.inline.State(src, md, env, [])
  inside.pos = pos + 1
  inside.posMax = end
  const context = contextOf(inside)
  context.isInLabel = true
  md.inline.tokenize(inside)
  context.isInLabel = false
  return inside.tokens.reduce(
    (html, { type, content }) => joinMarkup(html, type === 'markup' ? (content as Markup) : fromText(content)),
    nothing,
  )
}
