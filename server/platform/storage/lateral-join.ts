import { type RawBuilder, sql } from 'kysely'
import type { Db } from './storage.ts'
import type { TableName } from './tables.ts'

/**
 * A table to join, of which only the rows that match are looked up, for each row that comes before it in the query.
 * PostgreSQL would read the whole table where it expects many rows, and it does not know how few are left behind a read
 * mark. SQLite has no other way to join.
 */
export function lateralJoin<Row>(
  db: Db,
  table: TableName,
  columns: readonly (keyof Row & string)[],
  matches: RawBuilder<boolean>,
): { source: RawBuilder<Row>; on: RawBuilder<boolean> } {
  if (db.dialect === 'sqlite') return { source: sql<Row>`${sql.table(table)}`, on: matches }
  const selected = sql.join(columns.map((column) => sql.ref(column)))
  // Behind OFFSET the rows are found by themselves, and not as a part of the outer query.
  const source = sql<Row>`lateral (select ${selected} from ${sql.table(table)} where ${matches} offset 0)`
  return { source, on: sql<boolean>`true` }
}
