import { CompiledQuery } from 'kysely'
import type { Db } from '../storage.ts'
import type { TableName } from '../tables.ts'

/** The maximum number of rows in memory at a time. */
const ROWS_AT_ONCE = 1000

export type Row = Readonly<Record<string, unknown>>

/**
 * Returns all rows of a table in pages, ordered by the primary key. Each page starts after the last key of the page
 * before.
 */
export async function* keysetPages(db: Db, table: TableName): AsyncGenerator<readonly Row[]> {
  const key = await findPrimaryKey(db, table)
  const names = key.map((name) => `"${name}"`).join(', ')
  const marks = key.map((_, at) => (db.dialect === 'postgres' ? `$${at + 1}` : '?')).join(', ')
  const [first, next] = ['', `where (${names}) > (${marks})`].map(
    (where) => `select * from "${table}" ${where} order by ${names} limit ${ROWS_AT_ONCE}`,
  ) as [string, string]

  let last: Row | undefined
  do {
    const query: CompiledQuery<Row> = last
      ? CompiledQuery.raw(next, key.map((name) => last?.[name]) as unknown[])
      : CompiledQuery.raw(first)
    const { rows } = await db.executeQuery<Row>(query)
    if (rows.length > 0) yield rows
    last = rows.length === ROWS_AT_ONCE ? rows.at(-1) : undefined
  } while (last !== undefined)
}

async function findPrimaryKey(db: Db, table: TableName): Promise<string[]> {
  const { rows } = await db.executeQuery<{ name: string }>(CompiledQuery.raw(PRIMARY_KEY[db.dialect], [table]))
  if (rows.length === 0) throw new Error(`The table ${table} has no primary key`)
  return rows.map(({ name }) => name)
}

const PRIMARY_KEY = {
  sqlite: 'select "name" from pragma_table_info(?) where "pk" > 0 order by "pk"',
  postgres: `
    select "attname"::text as "name" from pg_index
      join pg_attribute on "attrelid" = "indrelid" and "attnum" = any("indkey")
    where "indrelid" = format('%I', $1::text)::regclass and "indisprimary"
    order by array_position("indkey"::int[], "attnum"::int)`,
}
