import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/storage/storage.ts'

/** What a message fulfils or not. It speaks of "messages" and of "userMessages", the reader's own record, if any. */
export type Condition = RawBuilder<boolean>

/** The ids of messages. */
export type Ids = RawBuilder<number>

/** Whether the column is one of the ids; any number of them is one parameter. */
export function isAmong(db: Db, column: string, ids: Iterable<number>): Condition {
  const list = [...ids].join(',')
  return db.dialect === 'sqlite'
    ? sql<boolean>`${sql.ref(column)} in (select "value" from json_each(${`[${list}]`}))`
    : sql<boolean>`${sql.ref(column)} = any(cast(${`{${list}}`} as bigint[]))`
}

/** As other statements take them. */
export const parenthesized = (ids: Ids): Ids => sql<number>`(${ids})`

/** What is unknown of a message, as its channel is of a direct one, is not so. */
export function not(condition: Condition): Condition {
  return sql<boolean>`(${condition}) is not true`
}

export function all(conditions: readonly Condition[]): Condition {
  return sql<boolean>`${sql.join([...conditions], sql` and `)}`
}

export const nothing: Condition = sql<boolean>`1 = 0`
