/** How deep lists and objects of a parameter may be nested. */
const MAX_DEPTH = 8

/** How many items a list of a parameter may hold. */
const MAX_ITEMS = 1000

/** How many numbers may be in a list of nothing else: a client marks as read what it fetched, 5,000 messages at most. */
export const MAX_NUMBERS = 5000

/** Whether numbers in the text may be written in a way that JavaScript forgets: `5.0`, `1e3`, or beyond 2^53. */
const MAY_HOLD_ODD_NUMBERS = /\d[.eE]|\d{16}/

/** A number that was written with a fraction or an exponent: not an integer, even where its value is whole. */
export class FloatingNumber {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

/**
 * Reads a parameter's JSON. Integers keep their exact value (a `bigint` beyond 2^53) and are told from numbers written
 * with a fraction or an exponent. Undefined when the text is not JSON.
 */
export function parseJson(text: string): { value: unknown } | undefined {
  const json = NOT_FINITE.test(text) ? withFiniteNumbers(text) : text
  try {
    return { value: MAY_HOLD_ODD_NUMBERS.test(json) ? JSON.parse(json, exactNumber) : JSON.parse(json) }
  } catch {
    return undefined
  }
}

/** Python's JSON knows these; clients are told that they are no integers rather than no JSON. */
const NOT_FINITE = /NaN|Infinity/

/** The JSON with a number that is no integer in their place, except within texts. */
function withFiniteNumbers(text: string): string {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at)
    const end = quote < 0 ? text.length : quote
    const next = quote < 0 ? text.length : endOfString(text, quote) + 1
    parts.push(text.slice(at, end).replaceAll(/\bNaN\b|-?\bInfinity\b/g, '0.5'), text.slice(end, next))
    at = next
  }
  return parts.join('')
}

function exactNumber(_key: string, value: unknown, context?: { source: string }): unknown {
  if (typeof value !== 'number' || context === undefined) return value
  if (!/^-?\d+$/.test(context.source)) return new FloatingNumber(value)
  return Number.isSafeInteger(value) ? value : BigInt(context.source)
}

/** What is wrong with the size of a parameter's JSON text, measured before it is parsed; null when nothing is. */
export function findSizeError(text: string, maxItems = MAX_ITEMS): string | null {
  let depth = 0
  const items: number[] = []
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at)
        break
      case 0x5b: // [
      case 0x7b: // {
        depth += 1
        if (depth > MAX_DEPTH) return `is nested too deeply (limit: ${MAX_DEPTH} levels)`
        items[depth] = 1
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1
        break
      case 0x2c: // ,
        items[depth] = (items[depth] ?? 1) + 1
        if ((items[depth] ?? 0) > maxItems) return `has too many items (limit: ${maxItems})`
        break
    }
  }
  return null
}

/** Where the quote stands that ends the string that begins at `start`; the end of the text when there is none. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text.charCodeAt(at) === 0x5c) at += 1
    else if (text.charCodeAt(at) === 0x22) return at
  }
  return text.length
}
