import { sql } from 'kysely'
import type { Operator } from './clause.ts'
import { badNarrow } from './refusals.ts'
import { operandText, parseId, type Term } from './term.ts'

/** Matches messages sent before the time. */
export const before: Operator = (_, term) => ({ condition: sql<boolean>`"messages"."sentAt" < ${operandTime(term)}` })

/** Matches messages sent at the time or later. */
export const after: Operator = (_, term) => ({ condition: sql<boolean>`"messages"."sentAt" >= ${operandTime(term)}` })

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** Returns the UNIX time of an operand: a number of seconds, or a date such as `2026-01-31`, which begins at midnight UTC. */
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
