import { DatabaseSync } from 'node:sqlite'
import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import { type Migrator, migratorOver } from '#storage/schema.ts'
import { onPostgres, ownDatabaseUrl } from './database.ts'

type Run = (statement: string) => Promise<Record<string, unknown>[]>

/** An empty database to migrate, without foreign-key checks. */
type LooseDatabase = { run: Run; migrator: Migrator } & AsyncDisposable

export async function openLooseDatabase(): Promise<LooseDatabase> {
  const { run, close } = onPostgres ? await openPostgres() : openSqlite()
  const runQuery = async ({ sql }: CompiledQuery) => ({ rows: await run(sql) }) as never
  const migrator = migratorOver(onPostgres ? 'postgres' : 'sqlite', runQuery)
  return { run, migrator, [Symbol.asyncDispose]: close }
}

type Opened = { run: Run; close: () => Promise<void> }

function openSqlite(): Opened {
  const database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
  return { run: async (statement) => database.prepare(statement).all(), close: async () => database.close() }
}

async function openPostgres(): Promise<Opened> {
  const client = new pg.Client({ connectionString: (await ownDatabaseUrl()) ?? '' })
  await client.connect()
  await client.query('set session_replication_role = replica')
  return { run: async (statement) => (await client.query(statement)).rows, close: () => client.end() }
}
