import pg from 'pg'
import { createDatabase } from './postgres.ts'

const PREFIX = 'parley_test'

/** The databases that this process made, by name. */
const made = new Map<string, string>()

/** The PostgreSQL server to test on, when the tests run on PostgreSQL. */
const server = process.env.PARLEY_TEST_POSTGRES

export const onPostgres: boolean = server !== undefined

/**
 * An empty database for one storage: in memory, or on the PostgreSQL server that PARLEY_TEST_POSTGRES names, where one
 * that no storage is connected to any more is emptied and given again.
 */
export function testDatabaseUrl(): Promise<string> {
  if (server === undefined) return Promise.resolve('memory')
  // One after the other, or two would take the same name.
  const url = lastGiven.then(() => giveDatabase(server))
  lastGiven = url.catch(() => {})
  return url
}

let lastGiven: Promise<unknown> = Promise.resolve()

async function giveDatabase(server: string): Promise<string> {
  if (made.size === 0) await dropAbandoned(server)
  const inUse = await databasesInUse(server)
  for (const [name, url] of made) {
    if (inUse.has(name)) continue
    await emptyDatabase(url)
    return url
  }
  return newDatabaseUrl(server)
}

async function newDatabaseUrl(serverUrl: string): Promise<string> {
  const name = `${PREFIX}_${process.pid}_${made.size + 1}`
  const url = await createDatabase(serverUrl, name)
  made.set(name, url)
  return url
}

async function databasesInUse(serverUrl: string): Promise<Set<string>> {
  const rows = await query(serverUrl, 'select distinct datname as name from pg_stat_activity where datname is not null')
  return new Set(rows.map((row) => row.name))
}

/** Leaves the tables and takes their rows, and begins their ids again. */
async function emptyDatabase(url: string): Promise<void> {
  await query(
    url,
    `do $$
      declare found record;
      begin
        set local session_replication_role = replica;
        for found in select tablename from pg_tables where schemaname = 'public' and tablename <> 'migrations' loop
          execute format('delete from %I', found.tablename);
        end loop;
        for found in select sequencename from pg_sequences where schemaname = 'public' loop
          perform setval(format('%I', found.sequencename), 1, false);
        end loop;
      end $$`,
  )
}

/** Drops what test processes left that have ended. */
async function dropAbandoned(serverUrl: string): Promise<void> {
  const rows = await query(serverUrl, `select datname as name from pg_database where datname like '${PREFIX}\\_%'`)
  for (const { name } of rows) {
    const process = Number(name.split('_')[2])
    if (!isRunning(process)) await query(serverUrl, `drop database if exists "${name}" with (force)`)
  }
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch {
    return false
  }
}

async function query(url: string, statement: string): Promise<{ name: string }[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<{ name: string }>(statement)).rows
  } finally {
    await client.end()
  }
}
