import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#storage/storage.ts'

/** An SQL condition on "messages" and "userMessages". The latter is the reader's record, which may be missing. */
export type Condition = RawBuilder<boolean>

/** An SQL query that returns message ids. */
export type Ids = RawBuilder<number>

/** Matches rows whose column is one of the ids. All ids are passed as a single parameter. */
export function isAmong(db: Db, column: string, ids: Iterable<number>): Condition {
  const list = [...ids].join(',')
  return db.dialect === 'sqlite'
    ? sql<boolean>`${sql.ref(column)} in (select "value" from json_each(${`[${list}]`}))`
    : sql<boolean>`${sql.ref(column)} = any(cast(${`{${list}}`} as bigint[]))`
}

export const parenthesized = (ids: Ids): Ids => sql<number>`(${ids})`

/** Negates a condition. Null counts as false: for example, the channel of a direct message is null. */
export function not(condition: Condition): Condition {
  return sql<boolean>`(${condition}) is not true`
}

export function all(conditions: readonly Condition[]): Condition {
  return sql<boolean>`${sql.join([...conditions], sql` and `)}`
}

export const matchesNothing: Condition = sql<boolean>`1 = 0`
