import type { CompiledQuery, Insertable, Selectable } from 'kysely'
import type { Transaction } from './storage.ts'
import type { TableName, Tables } from './tables.ts'

/** Rows in one statement on PostgreSQL, well below the number of parameters that it takes. */
const ROWS_AT_ONCE = 1000

type Row = Readonly<Record<string, unknown>>

/**
 * Inserts rows that have the same columns, and returns what `returning` names of each. On SQLite one after another by a
 * prepared statement, a tenth of what it costs to parse them all at once; on PostgreSQL, where the way there costs most,
 * a thousand at once.
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
    for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
      const query = compile(tx, table, rows.slice(start, start + ROWS_AT_ONCE) as readonly Row[], returning)
      found.push(...(await tx.run(table, query)).rows)
    }
  } else if (rows[0] !== undefined) {
    const { columns, query } = insertionOfOne(tx, table, Object.keys(rows[0]), returning)
    for (const row of rows as readonly Row[]) {
      const parameters = columns.map((column) => row[column])
      found.push(...(await tx.run(table, { ...query, parameters })).rows)
    }
  }
  return found as never
}

type Insertion = { columns: readonly string[]; query: CompiledQuery<unknown> }

const insertions = new Map<string, Insertion>()

function insertionOfOne(
  tx: Transaction,
  table: TableName,
  columns: readonly string[],
  returning: readonly string[],
): Insertion {
  const key = [table, ...columns, '', ...returning].join(' ')
  let insertion = insertions.get(key)
  if (insertion === undefined) {
    const row = Object.fromEntries(columns.map((column) => [column, 0]))
    insertion = { columns, query: compile(tx, table, [row], returning) }
    insertions.set(key, insertion)
  }
  return insertion
}

function compile(
  tx: Transaction,
  table: TableName,
  rows: readonly Row[],
  returning: readonly string[],
): CompiledQuery<unknown> {
  const insert = tx.insertInto(table).values(rows as never)
  return returning.length === 0 ? insert.compile() : insert.returning(returning as never).compile()
}
