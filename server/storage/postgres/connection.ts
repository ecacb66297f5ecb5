import type { CompiledQuery, QueryResult } from 'kysely'
import pg from 'pg'
import { clampToInt64, toStorableText } from '../storable-values.ts'

/** The maximum number of prepared statements per connection. */
const MAX_PREPARED = 400

/**
 * The maximum number of statements that are remembered after their first run. A statement is prepared at its second
 * run.
 */
const MAX_REMEMBERED = 2000

const BOOLEAN = 16
const INT8 = 20
const NUMERIC = 1700

/** Reads values in the same form as on SQLite: booleans as 0 or 1, and every number as a number. */
export const postgresTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === BOOLEAN) return (text: string) => (text === 't' ? 1 : 0)
    if (oid === INT8 || oid === NUMERIC) return Number
    return pg.types.getTypeParser(oid, format as 'text')
  },
}

/**
 * Returns a function that converts compiled queries to queries of `pg`. Repeated queries get names, so that they are
 * parsed and planned once.
 */
export function statementNamer(): (query: CompiledQuery) => pg.QueryConfig {
  const names = new Map<string, string>()
  const seen = new Set<string>()
  return ({ sql, parameters }) => {
    const values = parameters.map(toPostgresValue)
    const name = names.get(sql)
    if (name !== undefined) return { name, text: sql, values }
    if (names.size < MAX_PREPARED) {
      if (seen.delete(sql)) names.set(sql, `parley_${names.size + 1}`)
      else if (seen.size < MAX_REMEMBERED) seen.add(sql)
    }
    return { text: sql, values }
  }
}

export function toQueryResult(result: pg.QueryResult): QueryResult<unknown> {
  const isWrite = result.command === 'INSERT' || result.command === 'UPDATE' || result.command === 'DELETE'
  return isWrite ? { rows: result.rows, numAffectedRows: BigInt(result.rowCount ?? 0) } : { rows: result.rows }
}

/** Throws immediately for values that would make `pg` fail later, after it has sent further statements. */
function toPostgresValue(value: unknown): unknown {
  if (typeof value === 'string') return toStorableText(value)
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'bigint') return clampToInt64(value).toString()
  // PostgreSQL does not accept an integer in the form 1e+21.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return clampToInt64(BigInt(value as number)).toString()
  if (typeof value === 'object' && value !== null)
    throw new TypeError('A value must be a number, a string, a boolean or null')
  return value
}
