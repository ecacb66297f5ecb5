import { z } from 'zod'
import type { JsonKind } from './http-types.ts'
import { badParameter, missingArgument, tooManyFields } from './refusals.ts'

// The parameters of requests: how forms, queries and JSON become values of the types that an endpoint declares. Text
// that is no such value is refused with the name of its parameter, in the order of declaration. The number of
// parameters, and the nesting and length of lists in JSON, are checked before anything is parsed. Integers beyond 2^53
// keep their value.

/** The parameters of an endpoint, in the order in which they are checked. */
export type ParamTypes = Readonly<Record<string, z.ZodType>>

export type ParamsOf<Types extends ParamTypes> = { -readonly [Name in keyof Types]: z.output<Types[Name]> }

const LARGEST_INT64 = 2n ** 63n - 1n

/**
 * An integer of up to 64 bits: a number, or a `bigint` if a number would lose digits. It is for values that clients
 * choose and expect back. Ids are `z.int()`.
 */
export const int64 = z
  .union([z.int(), z.bigint().refine((value) => value <= LARGEST_INT64 && value >= -LARGEST_INT64 - 1n)])
  .meta({ type: 'integer', format: 'int64' })

/** A JSON integer of any size: a number, or a `bigint` beyond 2^53. It is for ids that appear in a refusal. */
export const exactInteger = z.union([z.int(), z.bigint()]).meta({ type: 'integer' })

/**
 * A JSON integer of any size, converted to the nearest finite number. It is for limits, and for ids, which never exceed
 * 2^53.
 */
export const anyInteger = z.union([z.int(), z.bigint().transform(nearestNumber)]).meta({ type: 'integer' })

function nearestNumber(integer: bigint): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number(integer), Number.MAX_VALUE))
}

/** A number with a fraction or an exponent. It is not an integer, even if its value is whole. */
class FloatingNumber {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

/** A JSON number, with or without a fraction, up to 2^53. */
export const anyNumber = z
  .union([z.number(), z.instanceof(FloatingNumber).transform(({ value }) => value)])
  .pipe(z.number().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER))
  .meta({ type: 'number' })

/** Returns true for types whose text is used unchanged. All other types are parsed as JSON. */
export const isText = (type: z.ZodType): boolean => {
  const inner = innermost(type)
  return inner instanceof z.ZodString || inner instanceof z.ZodEnum || inner instanceof z.ZodLiteral
}

const jsonOfTexts = new WeakMap<z.ZodType, z.ZodType>()

/**
 * Marks a parameter whose text may be JSON that the endpoint parses itself. A JSON body may contain it as a string, or
 * as a value of the type `json`.
 */
export function textOrJson<Type extends z.ZodType>(text: Type, json: z.ZodType): Type {
  jsonOfTexts.set(text, json)
  return text
}

/**
 * Returns the type of the value that a JSON body may contain for a parameter that `textOrJson` marked; undefined for
 * all other parameters.
 */
export const jsonOfText = (type: z.ZodType): z.ZodType | undefined => jsonOfTexts.get(innermost(type))

/** Returns whether the type is a list of numbers, or has one among its variants. */
const mayBeNumbers = (type: z.ZodType): boolean => {
  const inner = innermost(type)
  if (inner instanceof z.ZodUnion) return (inner.options as z.ZodType[]).some(mayBeNumbers)
  return inner instanceof z.ZodArray && isNumber(inner.element as z.ZodType)
}

const isNumber = (type: z.ZodType): boolean =>
  type instanceof z.ZodNumber || type === anyInteger || type === exactInteger

function innermost(type: z.ZodType): z.ZodType {
  const { def } = type as unknown as { def: { innerType?: z.ZodType; in?: z.ZodType } }
  if (def.innerType !== undefined) return innermost(def.innerType)
  return type
}

/**
 * Decodes one parameter from its text, which is undefined if the request lacks it. `kind` is its kind in a JSON body,
 * and undefined for forms and queries.
 */
type Decoder = (text: string | undefined, kind: JsonKind | undefined) => unknown

/**
 * Returns a decoder for the parameters of an endpoint. The decoder refuses the first invalid parameter in the order of
 * declaration.
 */
export function paramsDecoder<Types extends ParamTypes>(
  types: Types,
): (find: (name: string) => string | undefined, jsonKinds?: ReadonlyMap<string, JsonKind>) => ParamsOf<Types> {
  const decoders = Object.entries(types).map(([name, type]): [string, Decoder] => [name, paramDecoder(name, type)])
  return (find, jsonKinds) => {
    const params: Record<string, unknown> = {}
    for (const [name, decode] of decoders) params[name] = decode(find(name), jsonKinds?.get(name))
    return params as ParamsOf<Types>
  }
}

function paramDecoder(name: string, type: z.ZodType): Decoder {
  let absent: ReturnType<typeof type.safeParse> | undefined
  const text = isText(type)
  const takesNumbers = mayBeNumbers(type)
  const isJsonTaken = jsonOfText(type) !== undefined
  return (raw, kind) => {
    if (raw === undefined) {
      // Computed at first use: doing it for several hundred parameters would take 3 % of the start.
      absent ??= type.safeParse(undefined)
      if (!absent.success) throw missingArgument({ name })
      return absent.data
    }
    const isRaw = kind === undefined ? text : kind === 'string' || isJsonTaken
    const value = isRaw ? raw : jsonParam(name, raw, takesNumbers)
    const parsed = type.safeParse(value)
    if (parsed.success) return parsed.data
    throw badParameter({ name, complaint: complaint(name, type, value, parsed.error.issues[0]) })
  }
}

function jsonParam(name: string, raw: string, takesNumbers: boolean): unknown {
  const size = findSizeError(raw, takesNumbers && !raw.includes('"') ? MAX_NUMBERS : undefined)
  if (size !== null) throw badParameter({ name, complaint: `${name} ${size}` })
  const json = parseJson(raw)
  if (json === undefined) throw badParameter({ name, complaint: `${name} is not valid JSON` })
  return json.value
}

type Issue = z.core.$ZodIssue | undefined

const typeWords: Record<string, string> = {
  int: 'an integer',
  number: 'an integer',
  boolean: 'a boolean',
  string: 'a string',
  array: 'a list',
  tuple: 'a list',
  object: 'a dict',
  record: 'a dict',
  null: 'null',
}

/** Describes the error in the wording of the Zulip API. */
function complaint(name: string, type: z.ZodType, value: unknown, issue: Issue): string {
  if (issue === undefined) return `Invalid ${name}`
  if (issue.code === 'invalid_union') {
    const [label, issues] = variantToBlame(type, issue)
    return complaint(`${name}${label}`, type, value, {
      ...issues[0],
      path: [...issue.path, ...(issues[0]?.path ?? [])],
    } as Issue)
  }
  const given = valueAt(value, issue.path)
  const place = name + issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `["${String(key)}"]`)).join('')
  const isNumberMeant = issue.code !== 'invalid_type' || typeWords[issue.expected] === 'an integer'
  if (isNumberMeant && typeof given === 'bigint') return `${place} is too large`
  const isOutOfBounds = issue.code === 'too_big' || issue.code === 'too_small'
  if (isNumberMeant && !isOutOfBounds && given instanceof FloatingNumber) return `${place} is not an integer`
  if (issue.code === 'invalid_type') {
    if (issue.path.length > 0 && given === undefined) return `${place} field is missing`
    return `${place} is not ${typeWords[issue.expected] ?? `a ${issue.expected}`}`
  }
  if (issue.code === 'too_big') return `${place} ${tooBig(issue)}`
  if (issue.code === 'too_small') return `${place} ${tooSmall(issue)}`
  if (issue.code === 'custom' || issue.code === 'invalid_value')
    return `Invalid ${place}: Value error, Not in the list of possible values`
  return `Invalid ${place}: ${issue.message}`
}

function tooBig({ origin, maximum }: z.core.$ZodIssueTooBig): string {
  if (origin === 'string') return `is too long (limit: ${maximum} characters)`
  return origin === 'array' ? `has too many items (limit: ${maximum})` : 'is too large'
}

function tooSmall({ origin }: z.core.$ZodIssueTooSmall): string {
  if (origin === 'string') return 'cannot be blank'
  return origin === 'array' ? 'has too few items' : 'is too small'
}

/**
 * Returns the variant of a union to blame if none matches: the list of strings if all variants are lists, else the
 * variant that matched furthest.
 */
function variantToBlame(
  type: z.ZodType,
  issue: z.core.$ZodIssueInvalidUnion,
): [label: string, issues: z.core.$ZodIssue[]] {
  const inner = innermost(type)
  const options = inner instanceof z.ZodUnion ? (inner.options as z.ZodType[]) : []
  const strings = options.findIndex((option) => option instanceof z.ZodArray && option.element instanceof z.ZodString)
  const listOfStrings = issue.errors[strings]
  if (listOfStrings !== undefined && options.every((option) => option instanceof z.ZodArray))
    return ['["list[str]"]', listOfStrings]
  const depth = (issues: z.core.$ZodIssue[]) => issues[0]?.path.length ?? 0
  return ['', issue.errors.toSorted((first, other) => depth(other) - depth(first))[0] ?? []]
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (at === null || at === undefined ? at : (at as Record<PropertyKey, unknown>)[key]),
    value,
  )
}

/** The maximum nesting of lists and objects in a parameter. */
const MAX_DEPTH = 8

/** The maximum number of items of a list in a parameter. */
const MAX_ITEMS = 1000

/**
 * The maximum length of a list of numbers. A client may mark all messages of one fetch as read, and a fetch returns at
 * most 5,000.
 */
const MAX_NUMBERS = 5000

/** Matches text with numbers whose notation JavaScript would lose: `5.0`, `1e3`, or beyond 2^53. */
const MAY_HOLD_ODD_NUMBERS = /\d[.eE]|\d{16}/

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
