import { after } from 'node:test'
import pg from 'pg'
import { createDatabase } from './postgres.ts'

const PREFIX = 'parley_test'

/** The name of the connections that empty databases, which distinguishes them from those of the servers under test. */
const EMPTYING_CONNECTION = 'parley_test empties'

/**
 * A database created by this process, and an open connection to it, because a new one takes longer than emptying the
 * database.
 */
type Made = { url: string; client: pg.Client }

const made = new Map<string, Made>()
after(() => Promise.all(Array.from(made.values(), ({ client }) => client.end())))

/** The PostgreSQL server for the tests, if they run on PostgreSQL. */
const server = process.env.PARLEY_TEST_POSTGRES

export const onPostgres: boolean = server !== undefined

/**
 * Returns an empty database for one storage: in memory, or on the PostgreSQL server of PARLEY_TEST_POSTGRES, where
 * databases without connected storages are emptied and used again.
 */
export function testDatabaseUrl(): Promise<string> {
  if (server === undefined) return Promise.resolve('memory')
  // Requests run one after another, so that two do not get the same name.
  const url = lastGiven.then(() => giveDatabase(server))
  lastGiven = url.catch(() => {})
  return url
}

/**
 * Returns a database that is not used again, or null if the tests run in memory: for other processes with unknown
 * lifetimes, and for files that open one while they are loaded, when other tests may be running.
 */
export async function ownDatabaseUrl(): Promise<string | null> {
  if (server === undefined) return null
  const url = lastGiven.then(() => createDatabase(server, nextName()))
  lastGiven = url.catch(() => {})
  return url
}

let lastGiven: Promise<unknown> = Promise.resolve()
let named = 0

const nextName = () => `${PREFIX}_${process.pid}_${++named}`

async function giveDatabase(server: string): Promise<string> {
  if (made.size === 0) await dropAbandoned(server)
  const inUse = await databasesInUse()
  for (const [name, { url, client }] of made) {
    if (inUse.has(name)) continue
    await client.query(EMPTYING)
    return url
  }
  return newDatabaseUrl(server)
}

async function newDatabaseUrl(serverUrl: string): Promise<string> {
  const name = nextName()
  const url = await createDatabase(serverUrl, name)
  const client = new pg.Client({ connectionString: url, application_name: EMPTYING_CONNECTION })
  await client.connect()
  made.set(name, { url, client })
  return url
}

async function databasesInUse(): Promise<Set<string>> {
  const [any] = made.values()
  if (any === undefined) return new Set()
  const { rows } = await any.client.query<{ name: string }>(
    `select distinct datname as name from pg_stat_activity where datname is not null and application_name <> '${EMPTYING_CONNECTION}'`,
  )
  return new Set(rows.map((row) => row.name))
}

/** Deletes the rows of all tables, and restarts their ids. */
const EMPTYING = `do $$
  declare found record;
  begin
    set local session_replication_role = replica;
    for found in select tablename from pg_tables where schemaname = 'public' and tablename <> 'migrations' loop
      execute format('delete from %I', found.tablename);
    end loop;
    for found in select sequencename from pg_sequences where schemaname = 'public' loop
      perform setval(format('%I', found.sequencename), 1, false);
    end loop;
  end $$`

/** Drops the databases of test processes that are gone. */
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
