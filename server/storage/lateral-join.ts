import { type RawBuilder, sql } from 'kysely'
import type { Db } from './storage.ts'
import type { TableName } from './tables.ts'

/**
 * Returns a table to join. Its matching rows are looked up separately for each preceding row of the query. PostgreSQL
 * would otherwise read the whole table if it expects many rows, because it does not know how few rows follow a read
 * mark. SQLite always joins this way.
 */
export function lateralJoin<Row>(
  db: Db,
  table: TableName,
  columns: readonly (keyof Row & string)[],
  matches: RawBuilder<boolean>,
): { source: RawBuilder<Row>; on: RawBuilder<boolean> } {
  if (db.dialect === 'sqlite') return { source: sql<Row>`${sql.table(table)}`, on: matches }
  const selected = sql.join(columns.map((column) => sql.ref(column)))
  // OFFSET keeps PostgreSQL from merging the subquery into the outer query.
  const source = sql<Row>`lateral (select ${selected} from ${sql.table(table)} where ${matches} offset 0)`
  return { source, on: sql<boolean>`true` }
}
