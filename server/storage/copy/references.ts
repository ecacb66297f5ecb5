import { CompiledQuery } from 'kysely'
import type { Transaction } from '../storage.ts'

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
