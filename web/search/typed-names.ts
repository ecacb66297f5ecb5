import { listedChannels } from '../channels/listing.ts'
import { findOperator, type SearchOperator } from '../messages/search-query.ts'
import type { Organization } from '../store/organization.ts'

/** An operator with an operand that is not in quotes. */
const OPERATOR = /(?:^|\s)-?([a-z][a-z-]*):(?=[^\s"])/i

/** Operators whose operand is the name of a person, or the names of several people. */
const OF_PEOPLE: ReadonlySet<SearchOperator> = new Set(['from', 'dm', 'dm-including'])

/**
 * Puts names with spaces in quotes, so that `from:Bob Okafor` and `dm:Ada, Bob Okafor` can be typed as they are read. In
 * other operands, a plus between letters or digits stands for a space, as in the addresses of other clients.
 */
export function quoteTypedNames(text: string, organization: Organization): string {
  let done = ''
  let rest = text
  for (let found = OPERATOR.exec(rest); found !== null; found = OPERATOR.exec(rest)) {
    const end = found.index + found[0].length
    done += rest.slice(0, end)
    rest = rest.slice(end)
    const operator = findOperator(found[1] ?? '')
    const isInQuotes = done.split('"').length % 2 === 0
    if (operator === null || isInQuotes) continue
    const { operand, length } = readOperand(operator, rest, organization)
    done += /\s/.test(operand) ? `"${operand.replaceAll('"', '""')}"` : operand
    rest = rest.slice(length)
  }
  return done + rest
}

/**
 * Returns the filter at the end of the typed text whose operand is the beginning of a name with spaces; null if there
 * is none.
 */
export function unfinishedName(
  typed: string,
  organization: Organization,
): { start: number; negated: boolean; operator: SearchOperator; operand: string } | null {
  const [, sign = '', name = '', operand = ''] = /(?:^|\s)(-?)([a-z][a-z-]*):([^":]*\s[^":]*)$/i.exec(typed) ?? []
  const operator = findOperator(name)
  if (operator === null) return null
  // Only the last of several people is unfinished.
  const last = (operator === 'dm' ? operand.slice(operand.lastIndexOf(',') + 1) : operand).trimStart().toLowerCase()
  const isBeginning =
    last === ''
      ? operand.includes(',')
      : namesOf(operator, organization).some((one) => one.toLowerCase().startsWith(last))
  if (!isBeginning) return null
  const start = typed.length - operand.length - name.length - sign.length - 1
  return { start, negated: sign === '-', operator, operand }
}

function readOperand(
  operator: SearchOperator,
  text: string,
  organization: Organization,
): { operand: string; length: number } {
  const names = namesOf(operator, organization)
  const parts: string[] = []
  let rest = text
  for (;;) {
    const name = findStart(names, rest)
    const part = name ?? (operator === 'dm' ? /^[^\s,]*/ : /^\S*/).exec(rest)?.[0] ?? ''
    parts.push(name ?? part.replace(/(?<=[\p{L}\p{N}])\+(?=[\p{L}\p{N}])/gu, ' '))
    rest = rest.slice(part.length)
    const comma = operator === 'dm' ? /^\s*,\s*(?=\S)/.exec(rest)?.[0] : undefined
    if (comma === undefined) return { operand: parts.join(','), length: text.length - rest.length }
    rest = rest.slice(comma.length)
  }
}

/** Returns the longest of the names with which the text starts, as it is written there. */
function findStart(names: readonly string[], text: string): string | undefined {
  const lower = text.toLowerCase()
  const found = names
    .filter((name) => lower.startsWith(name.toLowerCase()) && /^(?:$|[\s,])/.test(text.slice(name.length)))
    .sort((one, other) => other.length - one.length)[0]
  return found === undefined ? undefined : text.slice(0, found.length)
}

/** Returns the names with spaces that an operand can be. */
function namesOf(operator: SearchOperator, organization: Organization): string[] {
  const { realm_users, realm_non_active_users, cross_realm_bots } = organization
  const all = OF_PEOPLE.has(operator)
    ? [...realm_users, ...realm_non_active_users, ...cross_realm_bots].map(({ full_name }) => full_name)
    : operator === 'channel'
      ? listedChannels(organization).map(({ channel }) => channel.name)
      : []
  return all.filter((name) => name.includes(' '))
}
