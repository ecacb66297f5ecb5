import { sql } from 'kysely'
import type { Operator } from './clause.ts'
import { findFirstIdSince } from './first-id-since.ts'
import { badNarrow } from './refusals.ts'
import { operandText, parseId, type Term } from './term.ts'

/** Matches messages sent before the time. */
export const before: Operator = async (viewer, term) => {
  const time = operandTime(term)
  const condition = sql<boolean>`"messages"."sentAt" < ${time}`
  if (term.negated) return { condition }
  const maxId = await findFirstIdSince(viewer.db, viewer.actor.realmId, time + MAX_DISORDER)
  return { condition, hints: maxId === null ? {} : { maxId } }
}

/** Matches messages sent at the time or later. */
export const after: Operator = async (viewer, term) => {
  const time = operandTime(term)
  const condition = sql<boolean>`"messages"."sentAt" >= ${time}`
  if (term.negated) return { condition }
  const minId = await findFirstIdSince(viewer.db, viewer.actor.realmId, time - MAX_DISORDER)
  return { condition, hints: { minId: minId ?? Number.MAX_SAFE_INTEGER } }
}

/**
 * Leaves out redundant time terms: of those that are not negated, only the latest `after` and the earliest `before`
 * stay. Refuses an invalid time.
 */
export function withoutImpliedTimes(terms: readonly Term[]): Term[] {
  const latest = extremeTime(terms, 'after', Math.max)
  const earliest = extremeTime(terms, 'before', Math.min)
  return terms.filter((term) => term.negated || !isTime(term) || term === latest || term === earliest)
}

const isTime = ({ operator }: Term) => operator === 'before' || operator === 'after'

function extremeTime(terms: readonly Term[], operator: 'before' | 'after', choose: typeof Math.max): Term | undefined {
  const candidates = terms.filter((term) => term.operator === operator && !term.negated)
  const time = choose(...candidates.map(operandTime))
  return candidates.find((term) => operandTime(term) === time)
}

/** The maximum error of clocks, in seconds. Apart from this error, ids grow with time. */
const MAX_DISORDER = 86_400

const DATE = /^\d{4}-\d{2}-\d{2}$/

/**
 * Returns the UNIX time of an operand: a number of seconds, or a date such as `2026-01-31`, which stands for the start
 * of that day in UTC.
 */
function operandTime(term: Term): number {
  const text = operandText(term).trim()
  const seconds = parseId(text)
  if (seconds !== null) return seconds
  const date = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // Some days do not exist, such as February 30, which is parsed as a day in March.
  if (Number.isNaN(date) || new Date(date).toISOString().slice(0, 10) !== text)
    throw badNarrow({ desc: `unknown '${term.operator}' operand ${text}` })
  return date / 1000
}
