import { type CompiledQuery, type Insertable, type QueryResult, type RawBuilder, sql } from 'kysely'
import type { Db, Dialect, Transaction } from './storage.ts'
import type { TableName, Tables } from './tables.ts'

// Parts of statements that mean the same on SQLite and PostgreSQL: queries that are compiled once, lists as JSON
// parameters, insertions of many rows, values that both databases can store. Each hides a difference between the
// databases that was measured.

/** A placeholder for an argument while a query is compiled. */
class Placeholder {
  readonly position: number
  constructor(position: number) {
    this.position = position
  }
}

type Argument = number | string | null

/**
 * Declares a query that is built and compiled once for each dialect. `build` is called with placeholders instead of
 * arguments, so it may only pass them to the query as values.
 */
export function defineQuery<Args extends readonly Argument[], Row>(
  build: (db: Db, ...args: Args) => { compile(): CompiledQuery<Row> },
): (db: Db, ...args: Args) => Promise<Row[]> {
  const fill = compiledOnce(build)
  return async (db, ...args) => (await db.executeQuery(fill(db.dialect, db, args))).rows
}

/** Like `defineQuery`, for a statement that writes `table`. */
export function defineWrite<Args extends readonly Argument[], Row>(
  table: TableName,
  build: (tx: Transaction, ...args: Args) => { compile(): CompiledQuery<Row> },
): (tx: Transaction, ...args: Args) => Promise<Row[]> {
  const fill = compiledOnce(build)
  return async (tx, ...args) => (await tx.run(table, fill(tx.db.dialect, tx, args))).rows
}

/** Like `defineWrite`, for a statement whose result is not awaited: if it fails, nothing is committed. */
export function defineUnawaitedWrite<Args extends readonly Argument[], Row>(
  table: TableName,
  build: (tx: Transaction, ...args: Args) => { compile(): CompiledQuery<Row> },
): (tx: Transaction, ...args: Args) => void {
  const fill = compiledOnce(build)
  return (tx, ...args) => void tx.run(table, fill(tx.db.dialect, tx, args))
}

function compiledOnce<Source, Args extends readonly Argument[], Row>(
  build: (source: Source, ...args: Args) => { compile(): CompiledQuery<Row> },
): (dialect: Dialect, source: Source, args: Args) => CompiledQuery<Row> {
  const compiled = new Map<Dialect, CompiledQuery<Row>>()

  function compile(dialect: Dialect, source: Source): CompiledQuery<Row> {
    const placeholders = Array.from({ length: build.length - 1 }, (_, position) => new Placeholder(position))
    const query = build(source, ...(placeholders as unknown as Args)).compile()
    compiled.set(dialect, query)
    return query
  }

  return (dialect, source, args) => {
    const query = compiled.get(dialect) ?? compile(dialect, source)
    const parameters = query.parameters.map((value) => (value instanceof Placeholder ? args[value.position] : value))
    return { ...query, parameters }
  }
}

const MAX_INT64 = 2n ** 63n - 1n
const MIN_INT64 = -(2n ** 63n)

/**
 * Returns text that both databases can store. PostgreSQL cannot store U+0000, and neither database can store lone
 * surrogates. Each of these becomes U+FFFD.
 */
export function toStorableText(text: string): string {
  const wellFormed = text.toWellFormed()
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\ufffd') : wellFormed
}

/** Returns the integer, limited to the 64-bit range. */
export function clampToInt64(integer: bigint): bigint {
  if (integer > MAX_INT64) return MAX_INT64
  return integer < MIN_INT64 ? MIN_INT64 : integer
}

/**
 * Returns a list of rows to select from. The rows are passed as one JSON parameter, so that lists of any length need
 * only one prepared statement. The columns are `integerAt(0)`, `realAt(1)`, `textAt(2)` and so on.
 */
export const jsonList = (db: Db, rows: readonly (readonly (number | null)[])[]) => rowsIn(db, JSON.stringify(rows))

/** Like `jsonList`, but for JSON text. The text can be the argument of a query that is compiled once. */
export function rowsIn(db: Db, json: string) {
  const list =
    db.dialect === 'sqlite' ? sql<ListItem>`json_each(${json})` : sql<ListItem>`jsonb_array_elements(${json}::jsonb)`
  return db.selectFrom(list.as<'list'>('list'))
}

type ListItem = { value: string }

export const integerAt = (at: number) => sql<number>`cast(list.value ->> ${sql.lit(at)} as bigint)`

export const textAt = (at: number) => sql<string>`list.value ->> ${sql.lit(at)}`

/** Returns the integers of a comma-separated text column, to join as a table with the column `value`. */
export function integersOf<Alias extends string>({ dialect }: Db, column: string, alias: Alias) {
  const text = sql.ref(column)
  return dialect === 'sqlite'
    ? sql<{ value: number }>`json_each('[' || ${text} || ']')`.as<Alias>(sql.ref(alias))
    : sql<{ value: number }>`lateral unnest(('{' || ${text} || '}')::bigint[])`.as<Alias>(sql`${sql.ref(alias)}(value)`)
}

/**
 * The limit of a subquery whose columns are computed once for each of its rows. Both databases would otherwise merge it
 * into the outer query, and compute them for each row of that.
 */
export const COMPUTED_ONCE = sql.lit(1_000_000)

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

/** The maximum number of ids in one statement. It is far below the maximum number of parameters of both databases. */
const IDS_AT_ONCE = 5000

/** Splits the items into batches that fit into one statement each. */
export function* batches<Item>(items: readonly Item[], size: number = IDS_AT_ONCE): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

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
