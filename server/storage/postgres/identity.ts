import pg from 'pg'
import { SETUP_TIME } from './session.ts'

/**
 * The queries that identify the database, the PostgreSQL installation, and the timeline. A standby that takes over
 * starts a new timeline.
 */
const IDENTITY_QUERIES = [
  'select oid::text as answer from pg_database where datname = current_database()',
  'select system_identifier::text as answer from pg_control_system()',
  'select left(pg_walfile_name(pg_current_wal_lsn()), 8) as answer',
] as const

/** The answers to `IDENTITY_QUERIES`; null for answers that this PostgreSQL does not give. */
export type Identity = readonly (string | null)[]

/** The database is not the database that was served: it may lack the last commits, or contain others. */
export class DatabaseReplaced extends Error {}

const REPLACED =
  'PostgreSQL now has another database in place of the one that was served: a restored copy, or a standby that ' +
  'took over, which may lack the last commits'

export async function findIdentity(client: pg.Client): Promise<Identity> {
  const answers: (string | null)[] = []
  for (const query of IDENTITY_QUERIES) answers.push(await ask(client, query))
  return answers
}

export async function requireSameDatabase(client: pg.Client, known: Identity): Promise<void> {
  const found = await findIdentity(client)
  const isSame = found.every((answer, at) => answer === known[at] || answer === null || known[at] === null)
  if (!isSame) throw new DatabaseReplaced(REPLACED)
}

/** The last id of each counter that this process knows to be committed. */
export type LastIds = ReadonlyMap<string, number>

/**
 * Refuses an older copy of the database. A copy of PostgreSQL's data folder has the same identity, but its counters lag
 * behind.
 */
export async function requireLastIds(client: pg.ClientBase, lastIds: LastIds): Promise<void> {
  if (lastIds.size === 0) return
  const known = [...lastIds]
  const query: pg.QueryConfig & { query_timeout: number } = {
    text: 'select "name", "value" from "counters" where "name" = any($1)',
    values: [known.map(([name]) => name)],
    query_timeout: SETUP_TIME,
  }
  const { rows } = await client.query<{ name: string; value: string }>(query)
  const found = new Map(rows.map(({ name, value }) => [name, Number(value)]))
  if (known.some(([name, id]) => (found.get(name) ?? 0) < id)) throw new DatabaseReplaced(REPLACED)
}

async function ask(client: pg.Client, query: string): Promise<string | null> {
  try {
    const { rows } = await client.query(query)
    return rows[0]?.answer ?? null
  } catch (error) {
    if (error instanceof pg.DatabaseError) return null
    throw error
  }
}
