import { isTopLevelDomain } from './top-level-domains.ts'

const SCHEME = /^[a-z]+:/i
/** The schemes that links may use. Other schemes could run a program or a script. */
const ALLOWED = /^(?:(?:https?|ftp):\/\/|(?:mailto|bitcoin):)/i

/**
 * Returns the address for a link, or `null` if its scheme is not allowed. An address without a scheme counts as a web
 * address.
 */
export function safeUrl(typed: string): string | null {
  const url = typed.trim().replaceAll(' ', '%20')
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(url)) return null
  if (/^\/(?![/\\])[^@]*$|^\/(?![/\\])[^@?#]*[?#]|^#./.test(url)) return withoutEmptyEnds(url)
  if (ALLOWED.test(url)) return withoutEmptyEnds(url.replace(SCHEME, (scheme) => scheme.toLowerCase()))
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) return null
  if (url === '') return null
  if (url.startsWith('//')) return `http:${url}`
  return withoutEmptyEnds(/^[^?#]*@/.test(url) ? `mailto:${url}` : `http://${url}`)
}

/** Removes empty queries and fragments. */
function withoutEmptyEnds(url: string): string {
  return url.replace(/#$/, '').replace(/^([^#?]*)\?(?=#|$)/, '$1')
}

/**
 * Makes addresses of views and uploaded files of the organization relative, because clients recognize them in that
 * form.
 */
export function relativeUrl(url: string, realmUrls: readonly string[]): string {
  const realmUrl = realmUrls.find((each) => url.startsWith(`${each}/#`) || url.startsWith(`${each}/user_uploads/`))
  return realmUrl === undefined ? url : url.slice(realmUrl.length + 1)
}

/** A web or email address without markup, from `start` to before `end` in UTF-16 units. */
export type BareUrl = { readonly start: number; readonly end: number; readonly kind: 'url' | 'domain' | 'email' }

/** The maximum nesting of parentheses inside a path. All of them must be closed. */
const MAX_NESTED_PARENTHESES = 6

/**
 * The maximum number of start positions tried in one word. The limit bounds the time for hostile words; ordinary words
 * need one try.
 */
const MAX_TRIES = 40

/** A quick check. Every address matches it, but few other words do. */
const HINT = /:\/\/|bitcoin:|\.[\p{L}\p{N}_-]/u

const MAY_FOLLOW = /[!:;?),.'">]/
/** A possible start of an address: the beginning of a word, or the position after opening punctuation. */
const BEGINNING = /(?:^|['"(,:<])(?=[\p{L}\p{N}_.-])/gu
const FOUND_SCHEME = /https?:\/\//uy
const BITCOIN = /bitcoin:[13][a-km-zA-HJ-NP-Z1-9]{25,34}/uy
const HOST = /[\p{L}\p{N}_.:@-]+/uy
const DOMAIN = /(?:[\p{L}\p{N}_-]+\.)+([\p{L}\p{N}-]+)/uy
const EMAIL = /[\p{L}\p{N}_.-]+@([\p{L}\p{N}_-]+\.)+[\p{L}\p{N}_]+/uy

/**
 * Returns the addresses in text in order. An address starts after whitespace or opening punctuation, and only closing
 * punctuation may follow it in the same word. The time is proportional to the length of the text.
 */
export function findBareUrls(text: string): BareUrl[] {
  const found: BareUrl[] = []
  if (!HINT.test(text)) return found
  for (const word of text.matchAll(/\S+/g)) {
    const url = HINT.test(word[0]) ? findInWord(word[0]) : null
    if (url) found.push({ ...url, start: url.start + word.index, end: url.end + word.index })
  }
  return found
}

function findInWord(word: string): BareUrl | null {
  // Every address in a word extends to the punctuation at the end of the word.
  let end = word.length
  while (end > 0 && MAY_FOLLOW.test(word.charAt(end - 1))) end--
  let tries = 0
  for (const { index, 0: before } of word.matchAll(BEGINNING)) {
    const start = index + before.length
    if (start >= end || ++tries > MAX_TRIES) return null
    const url = matchAt(word, start, end)
    if (url) return url
  }
  return null
}

function matchAt(word: string, start: number, end: number): BareUrl | null {
  const hostStart = matchEnd(FOUND_SCHEME, word, start)
  if (hostStart !== null) {
    const hostEnd = hostStart < end ? matchEnd(HOST, word, hostStart) : null
    return hostEnd === null ? null : reachEnd(word, start, hostEnd, end, 'url')
  }
  DOMAIN.lastIndex = start
  const domain = DOMAIN.exec(word)
  const domainUrl =
    domain?.[1] && isTopLevelDomain(domain[1]) ? reachEnd(word, start, DOMAIN.lastIndex, end, 'domain') : null
  if (domainUrl) return domainUrl
  if (matchEnd(BITCOIN, word, start) === end) return { start, end, kind: 'url' }
  const emailEnd = matchEnd(EMAIL, word, start)
  return emailEnd === end ? { start, end, kind: 'email' } : null
}

function reachEnd(word: string, start: number, hostEnd: number, end: number, kind: 'url' | 'domain'): BareUrl | null {
  if (hostEnd >= end) return { start, end, kind }
  const pathEnd = word.charAt(hostEnd) === '/' ? endOfPath(word, hostEnd, end) : null
  return pathEnd === null ? null : { start, end: pathEnd, kind }
}

/** Returns the first position from `end` on at which all parentheses of the path are closed. */
function endOfPath(word: string, from: number, end: number): number | null {
  let open = 0
  for (let at = from; at < word.length; at++) {
    if (at >= end && open === 0) return at
    const character = word.charAt(at)
    if (character === '"') return null
    if (character === '(' && ++open > MAX_NESTED_PARENTHESES) return null
    if (character === ')' && --open < 0) return null
  }
  return open === 0 ? word.length : null
}

function matchEnd(pattern: RegExp, word: string, start: number): number | null {
  pattern.lastIndex = start
  return pattern.test(word) ? pattern.lastIndex : null
}
