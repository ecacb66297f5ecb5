import { sql } from 'kysely'
import type { Viewer } from '../../groups/viewer.ts'
import type { Operator } from './clause.ts'
import { badNarrow } from './refusals.ts'
import { operandText, parseId, type Term } from './term.ts'

/** Matches messages sent before the time. */
export const before: Operator = async (viewer, term) => {
  const time = operandTime(term)
  const condition = sql<boolean>`"messages"."sentAt" < ${time}`
  if (term.negated) return { condition }
  const maxId = await findFirstIdSince(viewer, time + MAX_DISORDER)
  return { condition, hints: maxId === null ? {} : { maxId } }
}

/** Matches messages sent at the time or later. */
export const after: Operator = async (viewer, term) => {
  const time = operandTime(term)
  const condition = sql<boolean>`"messages"."sentAt" >= ${time}`
  if (term.negated) return { condition }
  const minId = await findFirstIdSince(viewer, time - MAX_DISORDER)
  return { condition, hints: { minId: minId ?? Number.MAX_SAFE_INTEGER } }
}

/**
 * Leaves out redundant times: only the latest `after` and the earliest `before` are looked up. Negated terms stay.
 * Refuses an invalid time.
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

/** Ids grow with time, but clocks may have been wrong by up to this many seconds. */
const MAX_DISORDER = 86_400

/**
 * Returns the id of a message of the organization before which all were sent earlier, by a binary search over the ids; null if
 * even the last message was sent earlier.
 */
async function findFirstIdSince({ db, actor }: Viewer, time: number): Promise<number | null> {
  const findFrom = (id: number, order: 'asc' | 'desc') =>
    db
      .selectFrom('messages')
      .select(['id', 'sentAt'])
      .where('realmId', '=', actor.realmId)
      .where('id', '>=', id)
      .orderBy('id', order)
      .limit(1)
      .executeTakeFirst()
  const last = await findFrom(1, 'desc')
  if (last === undefined || last.sentAt < time) return null
  let [low, high] = [1, last.id]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = await findFrom(middle, 'asc')
    if (found !== undefined && found.sentAt < time) low = found.id + 1
    else high = middle
  }
  return low
}

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
