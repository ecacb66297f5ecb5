import { hostname } from 'node:os'
import pg from 'pg'
import type { Db } from '../storage.ts'
import type { RunStatement } from '../transactions/engine.ts'
import { postgresTypes } from './connection.ts'
import { findServers, runOver } from './exclusive-lock.ts'
import { requireEncryption } from './open-postgres.ts'
import { FACTS, findReplicaProblem, type ServerFacts, serverName } from './replicas/facts.ts'

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
    types: postgresTypes,
    application_name: `parley doctor on ${hostname()}`,
  })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** A replica, and why it cannot be used; `fix` is null if the connection failed. */
export type ReplicaReport = { name: string; problem: { reason: string; fix: string | null } | null }

export async function examineReplicas(primaryUrl: string, urls: readonly string[]): Promise<ReplicaReport[]> {
  const primary = await findFacts(primaryUrl)
  return Promise.all(
    urls.map(async (url) => {
      const name = serverName(url)
      try {
        requireEncryption(url)
        return { name, problem: findReplicaProblem(await findFacts(url), primary) }
      } catch (error) {
        return { name, problem: { reason: (error as Error).message, fix: null } }
      }
    }),
  )
}

async function findFacts(url: string): Promise<ServerFacts> {
  const client = await connect(url)
  try {
    return (await client.query(FACTS)).rows[0]
  } finally {
    await client.end()
  }
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
