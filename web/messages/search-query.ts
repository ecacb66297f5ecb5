/** A condition of a search, such as `from:12-Ada-Lovelace`. */
export type SearchFilter = {
  readonly operator: SearchOperator
  readonly operand: string
  readonly negated: boolean
}

/** A search: its filters, and the words that messages must contain. */
export type SearchQuery = { readonly filters: readonly SearchFilter[]; readonly words: string }

/** The operators, by the names that users can type. `not` excludes words. */
const OPERATORS = {
  from: 'from',
  sender: 'from',
  channel: 'channel',
  stream: 'channel',
  channels: 'channels',
  streams: 'channels',
  topic: 'topic',
  subject: 'topic',
  dm: 'dm',
  'pm-with': 'dm',
  'dm-including': 'dm-including',
  'group-pm-with': 'dm-including',
  has: 'has',
  is: 'is',
  in: 'in',
  before: 'before',
  after: 'after',
  near: 'near',
  id: 'id',
  with: 'with',
} as const

export type SearchOperator = (typeof OPERATORS)[keyof typeof OPERATORS] | 'not'

/**
 * Matches a filter, an excluded word or phrase, a phrase, or a word. Quotes enclose an operand with spaces; inside
 * them, a doubled quote stands for a quote.
 */
const PIECE = /(-?)([a-z][a-z-]*):(?:"((?:[^"]|"")*)"|(\S*))|-(?:"([^"]+)"|([^\s"-]\S*))|"[^"]*"|\S+/gi

/** Reads a search as a user types it. A word with a colon is an ordinary word unless an operator precedes the colon. */
export function parseSearch(text: string): SearchQuery {
  const filters: SearchFilter[] = []
  const words: string[] = []
  for (const [piece, minus, name, quoted, plain, ...excluded] of text.matchAll(PIECE)) {
    const operator = findOperator(name ?? '')
    const operand = quoted?.replaceAll('""', '"') ?? plain ?? ''
    const not = excluded.find((word) => word !== undefined)
    if (operator !== null) filters.push({ operator, operand, negated: minus === '-' })
    else if (not !== undefined) filters.push({ operator: 'not', operand: not, negated: false })
    else words.push(piece)
  }
  return { filters, words: words.join(' ') }
}

/** Returns true if a typed search ends with a space that is not inside quotes. */
export const endsAfterPiece = (text: string): boolean =>
  /\s$/.test(text) && !/:"[^"]*$/.test(text) && text.split('"').length % 2 === 1

/** Returns the operator with this name, ignoring upper and lower case; null if there is none. */
export function findOperator(name: string): SearchOperator | null {
  const key = name.toLowerCase()
  return Object.hasOwn(OPERATORS, key) ? OPERATORS[key as keyof typeof OPERATORS] : null
}

/** Returns a filter as text that `parseSearch` can read. */
export function filterText({ operator, operand, negated }: SearchFilter): string {
  const value = /[\s"+]/.test(operand) || operand === '' ? `"${operand.replaceAll('"', '""')}"` : operand
  return operator === 'not' ? `-${value}` : `${negated ? '-' : ''}${operator}:${value}`
}

/** Returns a search as text that `parseSearch` can read. */
export const searchText = ({ filters, words }: SearchQuery): string =>
  [...filters.map(filterText), words].filter(Boolean).join(' ')

/** Returns the id at the start of an operand such as `12-Ada-Lovelace`; null if there is none. */
export function operandId(operand: string): number | null {
  const id = Number(/^(\d+)(?:-|$)/.exec(operand)?.[1] ?? '')
  return id > 0 && Number.isSafeInteger(id) ? id : null
}

/** Returns the start of a day such as `2026-01-31` in the user's time zone, in UNIX seconds; null for other strings. */
export function startOfDay(operand: string): number | null {
  const [, year, month, day] = (/^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(operand) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined) return null
  const date = new Date(year, month - 1, day)
  return date.getMonth() === month - 1 && date.getDate() === day ? date.getTime() / 1000 : null
}

type Term = { operator: string; operand: string | number | number[]; negated?: boolean }

/** Returns the search as terms of the API. Names of people and channels must have been replaced by their ids. */
export function searchTerms({ filters, words }: SearchQuery): Term[] {
  const terms = filters.map(toTerm).filter((term) => term.operator !== 'near')
  return words === '' ? terms : [...terms, { operator: 'search', operand: words }]
}

function toTerm({ operator, operand, negated }: SearchFilter): Term {
  const sign = negated ? { negated } : {}
  switch (operator) {
    case 'from':
      return { operator: 'sender', operand: operandId(operand) ?? operand, ...sign }
    case 'channel':
    case 'dm-including':
      return { operator, operand: operandId(operand) ?? operand, ...sign }
    case 'dm': {
      const ids = operand.split(',').map(operandId)
      return { operator, operand: ids.every((id) => id !== null) ? ids : operand, ...sign }
    }
    case 'before':
    case 'after':
      return { operator, operand: startOfDay(operand) ?? operand, ...sign }
    case 'not':
      return { operator: 'search', operand: operand.includes(' ') ? `"${operand}"` : operand, negated: true }
    default:
      return { operator, operand, ...sign }
  }
}

/**
 * Returns the operand for a person or channel. It starts with the id, which never changes. The name follows for
 * readers.
 */
export const namedOperand = (id: number, name: string): string =>
  `${id}-${name.replace(/[^\p{L}\p{M}\p{N}]+/gu, '-').replace(/^-|-$/g, '')}`.replace(/-$/, '')
