/** The content of the parentheses after a label; `end` is the position after them. */
type LinkTarget = { readonly address: string; readonly title?: string; readonly end: number }

/** The maximum nesting of parentheses in an address. The limit keeps the search for its end linear. */
const MAX_NESTING = 10

/** The maximum length of a title in characters. The limit keeps the search for its end linear. */
const MAX_TITLE_LENGTH = 1000

const BRACKETED = /\(\s*<([^<>]*)>\s*(?:('[^']*'|"[^"]*")\s*)?\)/y
const BEGINNING = /\(\s*/y

/** Returns the target whose opening parenthesis is at the position; null if there is none. */
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

/** Finds an address up to the closing parenthesis, or up to a quote that may start a title. */
function findPlain(src: string, start: number): LinkTarget | null {
  let depth = 1
  for (let at = start; at < src.length; at++) {
    const character = src[at]
    if (character === '(' && ++depth > MAX_NESTING) return null
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
