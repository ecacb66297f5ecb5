import type { StateInline } from 'markdown-it'
import { contextOf, pushMarkup } from '../context.ts'
import { type FoundLink, findLinks, withoutOverlaps } from '../linkifier.ts'
import { element, fromText, joinMarkup, type Markup, nothing } from '../markup.ts'
import type { RenderScope } from '../scope.ts'
import { type BareUrl, findBareUrls, relativeUrl, safeUrl } from './urls.ts'

/** The content of the parentheses after a label; `end` is the position after them. */
type LinkTarget = { readonly address: string; readonly title?: string; readonly end: number }

/** The maximum nesting of parentheses in an address. The limit keeps the search for its end linear. */
const MAX_PARENTHESES = 10

/** The maximum length of a title in characters. The limit keeps the search for its end linear. */
const MAX_TITLE_LENGTH = 1000

const BRACKETED = /\(\s*<([^<>]*)>\s*(?:('[^']*'|"[^"]*")\s*)?\)/y
const BEGINNING = /\(\s*/y

/** Returns the target whose opening parenthesis is at the position; null if there is none. */
function findTarget(src: string, from: number): LinkTarget | null {
  BRACKETED.lastIndex = from
  const bracketed = BRACKETED.exec(src)
  if (bracketed !== null) {
    const [, address = '', quoted] = bracketed
    const end = BRACKETED.lastIndex
    return quoted === undefined ? { address, end } : { address, title: cleanTitle(quoted.slice(1, -1)), end }
  }
  BEGINNING.lastIndex = from
  const start = from + (BEGINNING.exec(src)?.[0].length ?? 0)
  return findPlain(src, start)
}

/** Finds an address up to the closing parenthesis, or up to a quote that may start a title. */
function findPlain(src: string, start: number): LinkTarget | null {
  let depth = 1
  for (let at = start; at < src.length; at++) {
    const character = src[at]
    if (character === '(' && ++depth > MAX_PARENTHESES) return null
    if (character === ')' && --depth === 0) return { address: src.slice(start, at), end: at + 1 }
    if (character === '"' || character === "'") return findTitled(src, start, at) ?? findUntitled(src, start, at, depth)
  }
  return null
}

/**
 * Finds an address with a title. The title starts with the first quote, or the first quote of the other kind, and ends
 * before a parenthesis.
 */
function findTitled(src: string, start: number, quoteAt: number): LinkTarget | null {
  const quote = src.charAt(quoteAt)
  const other = quote === '"' ? "'" : '"'
  const otherAt = src.slice(0, quoteAt + MAX_TITLE_LENGTH).indexOf(other, quoteAt + 1)
  const ends = [endOfTitle(src, quoteAt, quote), otherAt < 0 ? null : endOfTitle(src, otherAt, other)]
  const [own, alternative] = ends
  const isOwn = own != null && (alternative == null || own.end < alternative.end)
  const found = isOwn ? own : alternative
  if (found == null) return null
  const opening = isOwn ? quoteAt : otherAt
  return {
    address: src.slice(start, opening),
    title: cleanTitle(src.slice(opening + 1, found.quoteAt)),
    end: found.end,
  }
}

function endOfTitle(src: string, opening: number, quote: string): { quoteAt: number; end: number } | null {
  const pattern = quote === '"' ? /" *\)/g : /' *\)/g
  pattern.lastIndex = opening + 1
  const match = pattern.exec(src.slice(0, opening + MAX_TITLE_LENGTH))
  return match === null ? null : { quoteAt: match.index, end: pattern.lastIndex }
}

/**
 * Finds an address without a title, so that the quote belongs to the address. Counted from `from`, parenthesis number
 * `depth` ends the address if it is a closing one.
 */
function findUntitled(src: string, start: number, from: number, depth: number): LinkTarget | null {
  let left = depth
  for (let at = from; at < src.length; at++) {
    if (src[at] !== '(' && src[at] !== ')') continue
    if (--left === 0) return src[at] === ')' ? { address: src.slice(start, at), end: at + 1 } : null
  }
  return null
}

/** Removes the quotes around a title that is quoted twice and replaces whitespace with spaces. */
function cleanTitle(title: string): string {
  const trimmed = title.trim()
  const [first] = trimmed
  const isQuoted = (first === '"' || first === "'") && trimmed.endsWith(first)
  return (isQuoted ? trimmed.slice(1, -1) : trimmed).replace(/\s/g, ' ')
}

/** The maximum nesting of brackets in a label. The limit keeps the search for its end linear. */
const MAX_BRACKETS = 10

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
    if (state.src[at] === '[' && ++depth > MAX_BRACKETS) return null
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

const PREFIXES: Record<BareUrl['kind'], string> = { url: '', domain: 'http://', email: 'mailto:' }

/** Returns the bare addresses in text and the linkifier matches between them, in order and without overlaps. */
export function findAutolinks(text: string, scope: RenderScope): FoundLink[] {
  const bare = findBareUrls(text).map(({ start, end, kind }) => {
    const typed = text.slice(start, end)
    return { start, end, text: typed, url: relativeUrl(PREFIXES[kind] + typed, scope.realmUrls) }
  })
  const linkified = scope.linkifiers.flatMap((linkifier) => findLinks(linkifier, text))
  return withoutOverlaps([...bare, ...linkified])
}

export function autolink(state: StateInline): boolean {
  const context = contextOf(state)
  if (context.isInLabel) return false
  const passed = context.links.findIndex((found) => found.start >= state.pos)
  context.links.splice(0, passed < 0 ? context.links.length : passed)
  const found = context.links[0]
  if (found?.start !== state.pos) return false
  context.shownLinks.push({ url: found.url, text: found.text })
  return pushMarkup(state, element('a', { href: found.url }, fromText(found.text)), found.end)
}
