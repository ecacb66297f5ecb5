import { type RawBuilder, sql } from 'kysely'
import { toStorableText } from './storable-values.ts'
import type { Db, Dialect } from './storage.ts'

/**
 * Returns a list of rows to select from. The rows are passed as one JSON parameter, so that lists of any length need
 * only one prepared statement. The columns are `integerAt(0)`, `realAt(1)`, `textAt(2)` and so on.
 */
export const jsonList = (db: Db, rows: readonly (readonly (number | null)[])[]) => rowsIn(db, JSON.stringify(rows))

/** Like `jsonList`, but for JSON text. The text can be the argument of a query that is compiled once. */
export function rowsIn(db: Db, json: string) {
  const list = db.dialect === 'sqlite' ? sql<Row>`json_each(${json})` : sql<Row>`jsonb_array_elements(${json}::jsonb)`
  return db.selectFrom(list.as<'list'>('list'))
}

type Row = { value: string }

/** Like `rowsIn`, but for a JSON list of integers. The column `value` contains them. */
export function integersIn(db: Db, json: string) {
  const list =
    db.dialect === 'sqlite'
      ? sql<{ value: number }>`json_each(${json})`
      : sql<{ value: number }>`unnest(translate(${json}, '[]', '{}')::bigint[])`
  return db.selectFrom(db.dialect === 'sqlite' ? list.as<'list'>('list') : list.as<'list'>(sql`list(value)`))
}

export const integerAt = (at: number) => sql<number>`cast(list.value ->> ${sql.lit(at)} as bigint)`

export const textAt = (at: number) => sql<string>`list.value ->> ${sql.lit(at)}`

export const realAt = (at: number) => sql<number>`cast(list.value ->> ${sql.lit(at)} as double precision)`

/**
 * Returns a JSON list of strings. Characters that the databases cannot store are replaced. As escapes in JSON text,
 * these characters would pass unnoticed.
 */
export const stringList = (strings: readonly string[]) => JSON.stringify(strings.map(toStorableText))

/**
 * Aggregates the numbers of a column as the text of a JSON list in ascending order. One row is faster to read than
 * many.
 */
export const sortedList = ({ dialect }: Db, column: string) =>
  dialect === 'sqlite'
    ? sql<string | null>`json_group_array(${sql.ref(column)} order by ${sql.ref(column)})`
    : sql<string | null>`json_agg(${sql.ref(column)} order by ${sql.ref(column)})::text`

/** Returns the strings of a `stringList` as the operand of `in`. */
export const stringsIn = (dialect: Dialect, json: string): RawBuilder<string> =>
  dialect === 'sqlite'
    ? sql<string>`(select "value" from json_each(${json}))`
    : sql<string>`(select jsonb_array_elements_text(${json}::jsonb))`

/** Returns the integers of a JSON list as the operand of `in`. */
export const idsIn = (dialect: Dialect, json: string): RawBuilder<number> =>
  dialect === 'sqlite'
    ? sql<number>`(select "value" from json_each(${json}))`
    : sql<number>`(select cast(jsonb_array_elements_text(${json}::jsonb) as bigint))`
