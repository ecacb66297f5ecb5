import { isTopLevelDomain } from './top-level-domains.ts'

/** A web or e-mail address that stands in a text by itself, from `start` to before `end` in UTF-16 units. */
export type BareUrl = { readonly start: number; readonly end: number; readonly kind: 'url' | 'domain' | 'email' }

/** Parentheses inside a path, which have to be closed, may lie this deep. */
const DEEPEST_PARENTHESES = 6

/** How many places of one word are tried: one is enough for people, and hostile words stay cheap. */
const MAX_TRIES = 40

/** What every address holds, and few other words. */
const HINT = /:\/\/|bitcoin:|\.[\p{L}\p{N}_-]/u

const MAY_FOLLOW = /[!:;?),.'">]/
/** A place at which an address may begin: the beginning of a word, or what follows opening punctuation. */
const BEGINNING = /(?:^|['"(,:<])(?=[\p{L}\p{N}_.-])/gu
const SCHEME = /https?:\/\//uy
const BITCOIN = /bitcoin:[13][a-km-zA-HJ-NP-Z1-9]{25,34}/uy
const HOST = /[\p{L}\p{N}_.:@-]+/uy
const DOMAIN = /(?:[\p{L}\p{N}_-]+\.)+([\p{L}\p{N}-]+)/uy
const EMAIL = /[\p{L}\p{N}_.-]+@([\p{L}\p{N}_-]+\.)+[\p{L}\p{N}_]+/uy

/**
 * The addresses of a text, in order. One begins after white space or opening punctuation, and nothing but closing
 * punctuation parts its end from the end of the word. Takes time in proportion to the text.
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
  // Whatever begins in a word reaches the punctuation at its end.
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
  const hostStart = matchEnd(SCHEME, word, start)
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

/** The first place from `end` on where every parenthesis of the path is closed. */
function endOfPath(word: string, from: number, end: number): number | null {
  let open = 0
  for (let at = from; at < word.length; at++) {
    if (at >= end && open === 0) return at
    const character = word.charAt(at)
    if (character === '"') return null
    if (character === '(' && ++open > DEEPEST_PARENTHESES) return null
    if (character === ')' && --open < 0) return null
  }
  return open === 0 ? word.length : null
}

function matchEnd(pattern: RegExp, word: string, start: number): number | null {
  pattern.lastIndex = start
  return pattern.test(word) ? pattern.lastIndex : null
}
