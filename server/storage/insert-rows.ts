import type { CompiledQuery, Insertable, QueryResult, Selectable } from 'kysely'
import { batches } from './batches.ts'
import type { Transaction } from './storage.ts'
import type { TableName, Tables } from './tables.ts'

/** Rows in one statement on PostgreSQL, well below the number of parameters that it takes. */
const ROWS_AT_ONCE = 1000

/** Rows in one statement on SQLite: few sizes, the greatest first, so that each is a statement that stays prepared. */
const PORTIONS = [25, 5, 1]

type Row = Readonly<Record<string, unknown>>

/**
 * Inserts rows that have the same columns, and returns what `returning` names of each. On SQLite in small portions by
 * statements that stay prepared: to parse all rows at once costs ten times as much. On PostgreSQL, where the way there
 * costs most, a thousand at once.
 */
export async function insertRows<
  Table extends TableName,
  Returned extends keyof Selectable<Tables[Table]> & string = never,
>(
  tx: Transaction,
  table: Table,
  rows: readonly Insertable<Tables[Table]>[],
  returning: readonly Returned[] = [],
): Promise<Pick<Selectable<Tables[Table]>, Returned>[]> {
  const found: unknown[] = []
  if (tx.db.dialect === 'postgres') {
    for (const batch of batches(rows, ROWS_AT_ONCE))
      found.push(...(await tx.run(table, compile(tx, table, batch as readonly Row[], returning))).rows)
  } else if (rows[0] !== undefined) {
    const columns = Object.keys(rows[0])
    for (const portion of portions(rows as readonly Row[])) {
      const { query } = insertionOf(tx, table, columns, portion.length, returning)
      const parameters = portion.flatMap((row) => columns.map((column) => row[column]))
      found.push(...(await tx.run(table, { ...query, parameters })).rows)
    }
  }
  return found as never
}

/**
 * Inserts one row. `insertId` of the result is the id that the table gave it on SQLite, which tells it anyway: to ask for
 * it by `returning` costs as much as the insertion.
 */
export async function insertRow<Table extends TableName>(
  tx: Transaction,
  table: Table,
  row: Insertable<Tables[Table]>,
): Promise<QueryResult<unknown>> {
  const columns = Object.keys(row)
  const { query } = insertionOf(tx, table, columns, 1, [])
  return tx.run(table, { ...query, parameters: columns.map((column) => (row as Row)[column]) })
}

function* portions(rows: readonly Row[]): Generator<readonly Row[]> {
  let start = 0
  for (const size of PORTIONS) for (; start + size <= rows.length; start += size) yield rows.slice(start, start + size)
}

type Insertion = { columns: readonly string[]; count: number; returning: readonly string[]; query: CompiledQuery }

const insertions = new Map<TableName, Insertion[]>()

/** Compiled once: the parameters of the rows, one row after the other, are to be put in. */
function insertionOf(
  tx: Transaction,
  table: TableName,
  columns: readonly string[],
  count: number,
  returning: readonly string[],
): Insertion {
  const known = insertions.get(table) ?? []
  for (const insertion of known)
    if (insertion.count === count && areSame(insertion.columns, columns) && areSame(insertion.returning, returning))
      return insertion
  const row = Object.fromEntries(columns.map((column) => [column, 0]))
  const query = compile(tx, table, Array<Row>(count).fill(row), returning)
  const insertion = { columns, count, returning, query }
  insertions.set(table, [...known, insertion])
  return insertion
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((name, index) => name === others[index])
}

function compile(tx: Transaction, table: TableName, rows: readonly Row[], returning: readonly string[]): CompiledQuery {
  const insert = tx.insertInto(table).values(rows as never)
  return returning.length === 0 ? insert.compile() : insert.returning(returning as never).compile()
}
