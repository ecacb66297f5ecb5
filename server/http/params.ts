import { z } from 'zod'
import type { JsonKind } from './body/json-body.ts'
import { FloatingNumber, findSizeError, MAX_NUMBERS, parseJson } from './json.ts'
import { badParameter, missingArgument } from './refusals.ts'

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

/** A JSON number, with or without a fraction, up to 2^53. */
export const anyNumber = z
  .union([z.number(), z.instanceof(FloatingNumber).transform(({ value }) => value)])
  .pipe(z.number().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER))
  .meta({ type: 'number' })

/** Returns true for types whose text is used unchanged. All other types are parsed as JSON. */
const isText = (type: z.ZodType): boolean => {
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
