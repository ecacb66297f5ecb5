import { tooManyFields } from './refusals.ts'

/**
 * The maximum number of parameters in the query and body of a request together. A repeated parameter counts each time.
 */
export const MAX_FIELDS = 1000

/**
 * Adds the pairs of `a=1&b=2` to `fields`. `counted` is the number of pairs found before. Returns the total number, and
 * refuses the request if it exceeds MAX_FIELDS. The text has one character for each byte. Any text is valid: malformed
 * UTF-8 becomes U+FFFD, and a stray `%` is kept.
 */
export function parseForm(text: string, fields: Map<string, string>, counted: number): number {
  let count = counted
  let equals = -1
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    end = text.indexOf('&', start)
    if (end === -1) end = text.length
    if (end === start) continue
    if (++count > MAX_FIELDS) throw tooManyFields({ limit: MAX_FIELDS })

    // The search continues from the last match; otherwise each name without a value would search the whole remainder.
    if (equals < start) {
      equals = text.indexOf('=', start)
      if (equals === -1) equals = text.length
    }
    const nameEnd = Math.min(equals, end)
    fields.set(decodeFormText(text.slice(start, nameEnd)), decodeFormText(text.slice(nameEnd + 1, end)))
  }
  return count
}

const NEEDS_DECODING = /[%+\x80-\xff]/
const NOT_ASCII = /[\x80-\xff]/

/** Decodes percent-escapes and `+`. Never fails. */
export function decodeFormText(piece: string): string {
  if (!NEEDS_DECODING.test(piece)) return piece
  if (NOT_ASCII.test(piece)) return decodeLeniently(piece)
  try {
    return decodeURIComponent(piece.replaceAll('+', ' '))
  } catch {
    return decodeLeniently(piece)
  }
}

/** Decodes byte by byte, for text that `decodeURIComponent` rejects. */
function decodeLeniently(piece: string): string {
  const bytes = Buffer.allocUnsafe(piece.length)
  let length = 0
  for (let at = 0; at < piece.length; at += 1) {
    const character = piece.charCodeAt(at)
    const escaped = character === PERCENT ? escapedByte(piece, at) : -1
    bytes[length++] = escaped !== -1 ? escaped : character === PLUS ? SPACE : character
    if (escaped !== -1) at += 2
  }
  return bytes.toString('utf8', 0, length)
}

const [PERCENT, PLUS, SPACE] = [0x25, 0x2b, 0x20]

/** Returns the byte of `%XX` at this position, or -1 if two hexadecimal digits do not follow. */
function escapedByte(piece: string, at: number): number {
  const digits = piece.slice(at + 1, at + 3)
  return /^[0-9A-Fa-f]{2}$/.test(digits) ? Number.parseInt(digits, 16) : -1
}
