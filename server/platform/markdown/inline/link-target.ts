/** What stands in the parentheses after a label; `end` is the place after them. */
export type LinkTarget = { readonly address: string; readonly title?: string; readonly end: number }

/** Parentheses in addresses nest this deep; the bound keeps searching for their ends linear. */
const DEEPEST = 10

/** Characters of a title; this bound, too. */
const MAX_TITLE_LENGTH = 1000

const BRACKETED = /\(\s*<([^<>]*)>\s*(?:('[^']*'|"[^"]*")\s*)?\)/y
const BEGINNING = /\(\s*/y

/** The target whose parenthesis opens at a place, null when none does. */
export function findTarget(src: string, from: number): LinkTarget | null {
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

/** An address up to the parenthesis that closes it, or to a quote that may begin a title. */
function findPlain(src: string, start: number): LinkTarget | null {
  let depth = 1
  for (let at = start; at < src.length; at++) {
    const character = src[at]
    if (character === '(' && ++depth > DEEPEST) return null
    if (character === ')' && --depth === 0) return { address: src.slice(start, at), end: at + 1 }
    if (character === '"' || character === "'") return findTitled(src, start, at) ?? findUntitled(src, start, at, depth)
  }
  return null
}

/** A title begins with the first quote, or with the first of the other kind, and ends before a parenthesis. */
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

/** Where no title is found the quote belongs to the address: it ends with the last of `depth` parentheses, if that closes. */
function findUntitled(src: string, start: number, from: number, depth: number): LinkTarget | null {
  let left = depth
  for (let at = from; at < src.length; at++) {
    if (src[at] !== '(' && src[at] !== ')') continue
    if (--left === 0) return src[at] === ')' ? { address: src.slice(start, at), end: at + 1 } : null
  }
  return null
}

/** Quotes around a title that is quoted twice go, and white space becomes spaces. */
function cleanTitle(title: string): string {
  const trimmed = title.trim()
  const [first] = trimmed
  const isQuoted = (first === '"' || first === "'") && trimmed.endsWith(first)
  return (isQuoted ? trimmed.slice(1, -1) : trimmed).replace(/\s/g, ' ')
}
