import { CompiledQuery } from 'kysely'
import { findLastMessageId, setLastMessageId } from './counters.ts'
import type { Db, Transaction } from './storage.ts'
import type { TableName } from './tables.ts'

// Facts that the database knows about its own tables: primary keys, allocated ids and references. Copies and exports
// of whole databases read and write tables by it, so that no list of columns has to be kept.

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

/** The last id that each table has allocated, even if the row with that id has been deleted. */
type AllocatedIds = ReadonlyMap<string, number>

/**
 * The table whose ids follow the order of commits. storage/counters.ts ensures this in a different way on each
 * kind of database.
 */
const MESSAGES = 'messages'

export async function findAllocatedIds(db: Db): Promise<AllocatedIds> {
  const given = new Map<string, number>()
  const { rows } = await db.executeQuery<{ table: string; id: number | null }>(
    CompiledQuery.raw(ALLOCATED_IDS[db.dialect]),
  )
  for (const { table, id } of rows) if (id) given.set(table, id)
  if (db.dialect === 'postgres') given.set(MESSAGES, await findLastMessageId(db))
  return given
}

/** Makes each table continue after these ids, so that the ids of deleted rows are not used again. */
export async function restoreAllocatedIds(tx: Transaction, given: AllocatedIds): Promise<void> {
  for (const [table, id] of given) {
    if (tx.db.dialect === 'sqlite') await continueOnSqlite(tx, table, id)
    else if (table === MESSAGES) await setLastMessageId(tx, id)
    else await tx.db.executeQuery(CompiledQuery.raw(SET_SEQUENCE, [`"${table}"`, id]))
  }
}

async function continueOnSqlite(tx: Transaction, table: string, id: number): Promise<void> {
  await tx.db.executeQuery(CompiledQuery.raw('delete from sqlite_sequence where "name" = ?', [table]))
  await tx.db.executeQuery(CompiledQuery.raw('insert into sqlite_sequence ("name", "seq") values (?, ?)', [table, id]))
}

const ALLOCATED_IDS = {
  sqlite: 'select "name" as "table", "seq" as "id" from sqlite_sequence',
  postgres: `
    select "relname"::text as "table", pg_sequence_last_value("seqrelid") as "id" from pg_sequence
      join pg_depend on "objid" = "seqrelid" and "classid" = 'pg_class'::regclass and "deptype" = 'i'
      join pg_class on pg_class."oid" = "refobjid"
    where "relnamespace" = current_schema()::regnamespace`,
}

const SET_SEQUENCE = `select setval(pg_get_serial_sequence($1, 'id'), $2::bigint)`

/** Lets `work` insert rows before the rows that they refer to; references are checked at the end. */
export async function deferReferenceChecks(tx: Transaction, work: () => Promise<void>): Promise<void> {
  const run = <Row>(statement: string) => tx.db.executeQuery<Row>(CompiledQuery.raw(statement))
  if (tx.db.dialect === 'sqlite') {
    await run('pragma defer_foreign_keys = on')
    return work()
  }
  const { rows: references } = await run<Reference>(REFERENCES)
  for (const { table, name } of references) await run(`alter table ${table} drop constraint ${name}`)
  await work()
  for (const { table, name, definition } of references)
    await run(`alter table ${table} add constraint ${name} ${definition}`)
}

type Reference = { table: string; name: string; definition: string }

const REFERENCES = `
  select "conrelid"::regclass::text as "table", format('%I', "conname") as "name",
    pg_get_constraintdef("oid") as "definition"
  from pg_constraint where "contype" = 'f' and "connamespace" = current_schema()::regnamespace`
