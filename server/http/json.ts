import { jsonLength, type SharedJson, toBytes, toGzip, toText } from '#lib/shared-json.ts'
import type { BufferedBody, BufferedResponse, HttpRequest, ResponseHeaders } from './http-types.ts'
import { acceptsEncoding, MIN_COMPRESSED_LENGTH } from './responses.ts'

/**
 * The minimum length of JSON that is sent as shared bytes, in UTF-16 units. For shorter JSON, joining strings is
 * cheaper.
 */
const MIN_SHARED_LENGTH = 48 * 1024

/** Returns the body in the form that is cheapest to send to the client, and adds the headers for it. */
export function encodeJson(
  json: SharedJson,
  request: Pick<HttpRequest, 'headers'>,
  headers: ResponseHeaders,
): BufferedBody {
  const length = jsonLength(json)
  if (length < MIN_COMPRESSED_LENGTH) return toText(json)
  headers['vary'] = 'accept-encoding'
  const compressed = acceptsEncoding(request, 'gzip') ? toGzip(json) : null
  if (compressed === null) return length < MIN_SHARED_LENGTH ? toText(json) : toBytes(json)
  headers['content-encoding'] = 'gzip'
  return compressed
}

/** Returns the response with this JSON text. A long text is compressed when it is sent, if `mayCompress` is true. */
export function jsonTextResponse(body: string, headers: ResponseHeaders, mayCompress: boolean): BufferedResponse {
  if (body.length >= MIN_COMPRESSED_LENGTH) headers['vary'] = 'accept-encoding'
  return { status: 200, headers, body, mayCompress }
}

/** The maximum nesting of lists and objects in a parameter. */
const MAX_DEPTH = 8

/** The maximum number of items of a list in a parameter. */
const MAX_ITEMS = 1000

/**
 * The maximum length of a list of numbers. A client may mark all messages of one fetch as read, and a fetch returns at
 * most 5,000.
 */
export const MAX_NUMBERS = 5000

/** Matches text with numbers whose notation JavaScript would lose: `5.0`, `1e3`, or beyond 2^53. */
const MAY_HOLD_ODD_NUMBERS = /\d[.eE]|\d{16}/

/** A number with a fraction or an exponent. It is not an integer, even if its value is whole. */
export class FloatingNumber {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

/**
 * Parses the JSON of a parameter. Integers keep their exact value (a `bigint` beyond 2^53), and numbers with a fraction
 * or an exponent become a FloatingNumber. Returns undefined if the text is not JSON.
 */
export function parseJson(text: string): { value: unknown } | undefined {
  const json = NOT_FINITE.test(text) ? withFiniteNumbers(text) : text
  try {
    return { value: MAY_HOLD_ODD_NUMBERS.test(json) ? JSON.parse(json, exactNumber) : JSON.parse(json) }
  } catch {
    return undefined
  }
}

/**
 * Python accepts NaN and Infinity as JSON. They are refused as numbers that are not integers, rather than as invalid
 * JSON.
 */
const NOT_FINITE = /NaN|Infinity/

/** Replaces NaN and Infinity, outside of strings, with a number that is not an integer. */
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

/**
 * Returns an error if the JSON text of a parameter is nested too deeply or too long, before it is parsed; null
 * otherwise.
 */
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

/** Returns the position of the quote that ends the string at `start`, or the end of the text. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text.charCodeAt(at) === 0x5c) at += 1
    else if (text.charCodeAt(at) === 0x22) return at
  }
  return text.length
}
