import { invalidFilter, tooMany } from './errors.ts'

// Filters of SCIM (RFC 7644, section 3.4.2.2): they are parsed into a tree, and evaluated over the JSON of a resource.
// Names of attributes and operators ignore case. A comparison of an attribute with several values holds if it holds for
// one of them. The paths of changes (section 3.5.2) have the same grammar.

export type AttributePath = {
  readonly name: string
  /** The attribute within `name`, such as `familyName`; null for all of it. */
  readonly sub: string | null
}

const COMPARISONS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const

type Comparison = (typeof COMPARISONS)[number]

type Literal = string | number | boolean | null

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter }
  | { readonly kind: 'present'; readonly path: AttributePath }
  | { readonly kind: 'compare'; readonly path: AttributePath; readonly by: Comparison; readonly value: Literal }
  /** Holds if one of the values of the attribute matches. */
  | { readonly kind: 'element'; readonly name: string; readonly part: Filter }

/** The target of a change: an attribute, or those of its values that match a filter. */
export type TargetPath = AttributePath & { readonly filter: Filter | null }

/** The maximum length of a filter, in characters, of its terms, and of the depth of its parentheses. */
const MAX_LENGTH = 8000
const MAX_TERMS = 50
const MAX_DEPTH = 20

/** The maximum number of values that a request compares with terms. */
const MAX_COMPARISONS = 200_000

/** Counts the comparisons of a request, and refuses it beyond their limit. */
export class Comparisons {
  #count = 0

  get count(): number {
    return this.#count
  }

  add(count: number): void {
    if (this.#count + count > MAX_COMPARISONS) throw tooMany()
    this.#count += count
  }
}

const TOKEN =
  /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])|(\.?[A-Za-z$][\w$:.-]*)|(\S))/y

type Token = { readonly kind: 'bracket' | 'string' | 'number' | 'word' | 'other'; readonly text: string }

function tokensOf(text: string): Token[] {
  if (text.length > MAX_LENGTH) throw invalidFilter({ complaint: `it is longer than ${MAX_LENGTH} characters` })
  const tokens: Token[] = []
  const kinds = ['bracket', 'string', 'number', 'word', 'other'] as const
  const pattern = new RegExp(TOKEN)
  const end = text.trimEnd().length
  while (pattern.lastIndex < end) {
    const match = pattern.exec(text)
    if (match === null) break
    const at = kinds.findIndex((_, index) => match[index + 1] !== undefined)
    tokens.push({ kind: kinds[at] ?? 'other', text: match[at + 1] ?? '' })
  }
  return tokens
}

/** Parses a filter, or refuses it. */
export function parseFilter(text: string): Filter {
  const parser = new Parser(tokensOf(text))
  const filter = parser.or(0)
  parser.requireEnd()
  return filter
}

/** Parses the path of a change: `name.familyName`, `members`, or `members[value eq "2"].display`. */
export function parseTargetPath(text: string): TargetPath {
  const parser = new Parser(tokensOf(text))
  const path = parser.path()
  const filter = parser.takes('[') ? parser.element(0) : null
  const sub = filter === null ? path.sub : parser.subAttribute()
  parser.requireEnd()
  return { name: path.name, sub, filter }
}

class Parser {
  readonly #tokens: readonly Token[]
  #at = 0
  #terms = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  or(depth: number): Filter {
    return this.#list('or', () => this.#list('and', () => this.#term(depth)))
  }

  #list(kind: 'and' | 'or', part: () => Filter): Filter {
    const first = part()
    const parts = [first]
    while (this.#takesWord(kind)) parts.push(part())
    return parts.length === 1 ? first : { kind, parts }
  }

  #term(depth: number): Filter {
    if (depth > MAX_DEPTH) throw invalidFilter({ complaint: 'it has too many parentheses' })
    const next = this.#tokens[this.#at + 1]
    if (next?.text === '(' && this.#takesWord('not')) {
      this.#at += 1
      return { kind: 'not', part: this.#closed(')', depth) }
    }
    if (this.takes('(')) return this.#closed(')', depth)
    this.#terms += 1
    if (this.#terms > MAX_TERMS) throw invalidFilter({ complaint: `it has more than ${MAX_TERMS} terms` })
    const path = this.path()
    if (this.takes('[')) return { kind: 'element', name: path.name, part: this.element(depth) }
    if (this.#takesWord('pr')) return { kind: 'present', path }
    const operator = this.#tokens[this.#at]?.text.toLowerCase() ?? ''
    const by = COMPARISONS.find((name) => name === operator)
    if (by === undefined) throw invalidFilter({ complaint: `“${operator}” is not an operator` })
    this.#at += 1
    return { kind: 'compare', path, by, value: this.#literal(by) }
  }

  /** Parses the rest of a filter in brackets. */
  element(depth: number): Filter {
    return this.#closed(']', depth)
  }

  #closed(end: ')' | ']', depth: number): Filter {
    const filter = this.or(depth + 1)
    if (!this.takes(end)) throw invalidFilter({ complaint: `a “${end}” is missing` })
    return filter
  }

  path(): AttributePath {
    const token = this.#tokens[this.#at]
    if (token?.kind !== 'word') throw invalidFilter({ complaint: 'the name of an attribute is missing' })
    this.#at += 1
    return toAttributePath(token.text)
  }

  /** Parses what may follow a filter in brackets: a dot and a name. */
  subAttribute(): string | null {
    const token = this.#tokens[this.#at]
    if (token?.kind !== 'word' || !token.text.startsWith('.')) return null
    this.#at += 1
    return token.text.slice(1)
  }

  #literal(by: Comparison): Literal {
    const token = this.#tokens[this.#at]
    this.#at += 1
    const value = token === undefined ? undefined : toLiteral(token)
    if (value === undefined) throw invalidFilter({ complaint: `“${by}” is not followed by a value` })
    const isEquality = by === 'eq' || by === 'ne'
    if (!isEquality && (typeof value === 'boolean' || value === null))
      throw invalidFilter({ complaint: `“${by}” cannot compare with “${value}”` })
    return value
  }

  takes(text: string): boolean {
    const isNext = this.#tokens[this.#at]?.kind === 'bracket' && this.#tokens[this.#at]?.text === text
    if (isNext) this.#at += 1
    return isNext
  }

  #takesWord(word: string): boolean {
    const token = this.#tokens[this.#at]
    const isNext = token?.kind === 'word' && token.text.toLowerCase() === word
    if (isNext) this.#at += 1
    return isNext
  }

  requireEnd(): void {
    const token = this.#tokens[this.#at]
    if (token !== undefined) throw invalidFilter({ complaint: `“${token.text}” is unexpected` })
  }
}

const CONSTANTS = new Map<string, Literal>([
  ['true', true],
  ['false', false],
  ['null', null],
])

function toLiteral({ kind, text }: Token): Literal | undefined {
  if (kind === 'number') return Number(text)
  if (kind === 'word') return CONSTANTS.get(text.toLowerCase())
  if (kind !== 'string') return undefined
  try {
    return String(JSON.parse(text))
  } catch {
    return undefined
  }
}

const CORE_SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i

/** Reads `name.familyName`, also behind the name of a core schema. Names of other schemas match no attribute. */
export function toAttributePath(text: string): AttributePath {
  const local = text.replace(CORE_SCHEMA, '')
  if (local.toLowerCase().startsWith('urn:')) return { name: local, sub: null }
  const dot = local.indexOf('.')
  return dot === -1 ? { name: local, sub: null } : { name: local.slice(0, dot), sub: local.slice(dot + 1) }
}

/** Returns the name under which an object has the attribute, in any case; undefined if it has none. */
export function keyOf(object: object, name: string): string | undefined {
  if (Object.hasOwn(object, name)) return name
  const lower = name.toLowerCase()
  return Object.keys(object).find((key) => key.toLowerCase() === lower)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value of an attribute of an object, in any case of its name. */
export function attributeOf(object: unknown, name: string): unknown {
  if (!isObject(object)) return undefined
  const key = keyOf(object, name)
  return key === undefined ? undefined : object[key]
}

const listOf = (value: unknown): unknown[] => {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

function valuesAt(resource: unknown, { name, sub }: AttributePath): unknown[] {
  const values = listOf(attributeOf(resource, name))
  if (sub !== null) return values.flatMap((value) => listOf(attributeOf(value, sub)))
  // The value of an attribute with parts is that of its part `value`.
  return values.map((value) => (isObject(value) ? (attributeOf(value, 'value') ?? value) : value))
}

/** Returns the number of terms of the filter. */
export function countTerms(filter: Filter): number {
  if ('parts' in filter) return filter.parts.reduce((sum, part) => sum + countTerms(part), 0)
  return 'part' in filter ? 1 + countTerms(filter.part) : 1
}

/**
 * Returns whether the resource, or one of the values of an attribute, matches the filter. Adds to `comparisons`, unless
 * they were counted before.
 */
export function matchesFilter(resource: unknown, filter: Filter, comparisons: Comparisons | null): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matchesFilter(resource, part, comparisons))
    case 'or':
      return filter.parts.some((part) => matchesFilter(resource, part, comparisons))
    case 'not':
      return !matchesFilter(resource, filter.part, comparisons)
    case 'element':
      return listOf(attributeOf(resource, filter.name)).some((value) => matchesFilter(value, filter.part, comparisons))
    default: {
      const values = valuesAt(resource, filter.path)
      comparisons?.add(Math.max(1, values.length))
      return filter.kind === 'present' ? values.some((value) => value !== '') : matchesComparison(values, filter)
    }
  }
}

function matchesComparison(
  values: readonly unknown[],
  { path, by, value: given }: Extract<Filter, { kind: 'compare' }>,
): boolean {
  if (values.length === 0) return by === 'ne' ? given !== null : by === 'eq' && given === null
  const isExact = EXACT.has((path.sub ?? path.name).toLowerCase())
  return values.some((value) => compare(value, by, given, isExact))
}

/** The attributes whose values differ by case. */
const EXACT: ReadonlySet<string> = new Set(['id', 'externalid'])

const ISO_TIME = /^\d{4}-\d\d-\d\dT/

function compare(value: unknown, by: Comparison, given: Literal, isExact: boolean): boolean {
  if (typeof value !== typeof given) return by === 'ne'
  if (typeof value !== 'string' || typeof given !== 'string') return holds(by, value as number, given as number)
  if (ISO_TIME.test(value) && !Number.isNaN(Date.parse(given)) && !['co', 'sw', 'ew'].includes(by))
    return holds(by, Date.parse(value), Date.parse(given))
  const [one, other] = isExact ? [value, given] : [value.toLowerCase(), given.toLowerCase()]
  if (by === 'co') return one.includes(other)
  if (by === 'sw') return one.startsWith(other)
  if (by === 'ew') return one.endsWith(other)
  return holds(by, one, other)
}

function holds<Value extends string | number | boolean>(by: Comparison, one: Value, other: Value): boolean {
  switch (by) {
    case 'eq':
      return one === other
    case 'ne':
      return one !== other
    case 'gt':
      return one > other
    case 'ge':
      return one >= other
    case 'lt':
      return one < other
    case 'le':
      return one <= other
    default:
      return false
  }
}
