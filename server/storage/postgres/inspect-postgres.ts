import { hostname } from 'node:os'
import pg from 'pg'
import type { Db } from '../storage.ts'
import type { RunStatement } from '../transactions/engine.ts'
import { findServers, runOver } from './exclusive-lock.ts'
import { requireEncryption } from './open-postgres.ts'

/** Milliseconds after which a connection or a statement counts as failed. */
const PATIENCE = 5000

/** A database that is open for reading. */
export type Opened = {
  dialect: Db['dialect']
  run: RunStatement
  findServers: () => Promise<string[]>
  close: () => Promise<void>
}

/** Connects for reading. Sets nothing, because behind a pooler other clients may get the same session. */
export async function inspectPostgres(url: string): Promise<Opened> {
  requireEncryption(url)
  const client = await connect(url)
  const run = runOver(client)
  return {
    dialect: 'postgres',
    run,
    findServers: () => findServers(run),
    close: () => client.end(),
  }
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...{ connectionString, connectionTimeoutMillis: PATIENCE, query_timeout: PATIENCE, pipeline: true },
    application_name: `parley doctor on ${hostname()}`,
  })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Returns whether a connection keeps its session between transactions. */
export async function hasOwnSession(url: string): Promise<boolean> {
  const [one, other] = [await connect(url), await connect(url)]
  const findSession = async (client: pg.Client) => {
    const { rows } = await client.query('select pg_backend_pid() as pid')
    return rows[0]?.pid
  }
  try {
    const before = await findSession(one)
    await other.query('begin read only')
    const sessionOfOther = await findSession(other)
    const after = await findSession(one)
    await other.query('rollback')
    return before === after && sessionOfOther !== before
  } finally {
    await Promise.allSettled([one.end(), other.end()])
  }
}
