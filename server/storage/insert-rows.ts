import type { CompiledQuery, Insertable, QueryResult } from 'kysely'
import { batches } from './batches.ts'
import type { Transaction } from './storage.ts'
import type { TableName, Tables } from './tables.ts'

/**
 * The maximum number of rows in one statement on PostgreSQL. It is well below PostgreSQL's maximum number of
 * parameters.
 */
const ROWS_AT_ONCE = 1000

/**
 * The numbers of rows in one statement on SQLite, largest first. They are few, so that the statement for each number
 * stays prepared.
 */
const PORTIONS = [25, 5, 1]

type Row = Readonly<Record<string, unknown>>

/**
 * Inserts rows that have the same columns. The caller need not wait for the result: if an insertion fails, nothing is
 * committed. SQLite gets small portions in prepared statements, because parsing all rows at once takes ten times as
 * long. PostgreSQL gets a thousand rows at a time, because the round trip takes most of the time.
 */
export function insertRows<Table extends TableName>(
  tx: Transaction,
  table: Table,
  rows: readonly Insertable<Tables[Table]>[],
): void {
  for (const query of insertionsOf(tx, table, rows as readonly Row[], [])) void tx.run(table, query)
}

/** Like `insertRows`, but waits for each statement. Use it for lists of unlimited length. */
export async function insertRowsInTurn<Table extends TableName>(
  tx: Transaction,
  table: Table,
  rows: readonly Insertable<Tables[Table]>[],
): Promise<void> {
  for (const query of insertionsOf(tx, table, rows as readonly Row[], [])) await tx.run(table, query)
}

/** Inserts rows like `insertRows` into a table that allocates ids, and returns the ids in the order of the rows. */
export async function insertRowsWithIds<Table extends TableName>(
  tx: Transaction,
  table: Table,
  rows: readonly Insertable<Tables[Table]>[],
): Promise<number[]> {
  const ids: number[] = []
  const returnsIds = tx.db.dialect === 'sqlite'
  for (const query of insertionsOf(tx, table, rows as readonly Row[], returnsIds ? [] : ['id'])) {
    const result = await tx.run(table, query)
    if (returnsIds) ids.push(...idsBefore(result))
    else ids.push(...(result.rows as { id: number }[]).map(({ id }) => id))
  }
  return ids
}

/**
 * Returns the ids of the rows that one statement has inserted on SQLite. SQLite reports only the last id, and the ids
 * are consecutive, because there is a single writer.
 */
function* idsBefore({ insertId = 0n, numAffectedRows = 0n }: QueryResult<unknown>): Generator<number> {
  for (let id = insertId - numAffectedRows + 1n; id <= insertId; id++) yield Number(id)
}

/**
 * Inserts one row. The result need not be awaited. On SQLite, `insertId` of the result is the new id, which SQLite
 * returns anyway. Requesting the id by `returning` would cost as much as the insertion.
 */
export function insertRow<Table extends TableName>(
  tx: Transaction,
  table: Table,
  row: Insertable<Tables[Table]>,
): QueryResult<unknown> | Promise<QueryResult<unknown>> {
  const columns = Object.keys(row)
  const { query } = insertionOf(tx, table, columns, 1, [])
  return tx.run(table, { ...query, parameters: columns.map((column) => (row as Row)[column]) })
}

function* insertionsOf(
  tx: Transaction,
  table: TableName,
  rows: readonly Row[],
  returning: readonly string[],
): Generator<CompiledQuery> {
  if (tx.db.dialect === 'postgres') {
    for (const batch of batches(rows, ROWS_AT_ONCE)) yield compile(tx, table, batch, returning)
  } else if (rows[0] !== undefined) {
    const columns = Object.keys(rows[0])
    for (const portion of portions(rows)) {
      const { query } = insertionOf(tx, table, columns, portion.length, returning)
      const parameters = portion.flatMap((row) => columns.map((column) => row[column]))
      yield { ...query, parameters }
    }
  }
}

function* portions(rows: readonly Row[]): Generator<readonly Row[]> {
  let start = 0
  for (const size of PORTIONS) for (; start + size <= rows.length; start += size) yield rows.slice(start, start + size)
}

type Insertion = { columns: readonly string[]; count: number; returning: readonly string[]; query: CompiledQuery }

const insertions = new Map<TableName, Insertion[]>()

/** Compiles the insertion once; the parameters of the rows are inserted later, row by row. */
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
