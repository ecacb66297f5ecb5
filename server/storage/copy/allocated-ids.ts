import { CompiledQuery } from 'kysely'
import { findLastMessageId, setLastMessageId } from '../counters.ts'
import type { Db, Transaction } from '../storage.ts'

/** The last id that each table has allocated, even if the row with that id has been deleted. */
type AllocatedIds = ReadonlyMap<string, number>

/**
 * The table whose ids follow the order of commits. storage/counters.ts ensures this in a different way on each
 * kind of database.
 */
const MESSAGES = 'messages'

export async function findAllocatedIds(db: Db): Promise<AllocatedIds> {
  const given = new Map<string, number>()
  const { rows } = await db.executeQuery<{ table: string; id: number | null }>(CompiledQuery.raw(GIVEN[db.dialect]))
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

const GIVEN = {
  sqlite: 'select "name" as "table", "seq" as "id" from sqlite_sequence',
  postgres: `
    select "relname"::text as "table", pg_sequence_last_value("seqrelid") as "id" from pg_sequence
      join pg_depend on "objid" = "seqrelid" and "classid" = 'pg_class'::regclass and "deptype" = 'i'
      join pg_class on pg_class."oid" = "refobjid"
    where "relnamespace" = current_schema()::regnamespace`,
}

const SET_SEQUENCE = `select setval(pg_get_serial_sequence($1, 'id'), $2::bigint)`
