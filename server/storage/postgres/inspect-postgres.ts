import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Db } from '../storage.ts'
import type { RunStatement } from '../transactions/engine.ts'
import { postgresTypes } from './connection.ts'
import { findServers, runOver } from './exclusive-lock.ts'
import { requireEncryption } from './open-postgres.ts'
import { FACTS, findReplicaProblem, type ReplicaProblem, type ServerFacts, serverName } from './replicas/facts.ts'

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
        const problem = findReplicaProblem(await findFacts(url), primary)
        return { name, problem: problem ?? (await findSessionProblem(url)) ?? (await findDelay(url, primary)) }
      } catch (error) {
        return { name, problem: { reason: (error as Error).message, fix: null } }
      }
    }),
  )
}

const findSessionProblem = async (url: string): Promise<ReplicaProblem | null> =>
  (await hasOwnSession(url))
    ? null
    : {
        reason: 'a pooler changes the session between transactions',
        fix: 'Connect to the replica directly, or set pool_mode = session for it.',
      }

/** Milliseconds in which a replica must have replayed what the primary had written before, and between two looks. */
const [CATCH_UP_TIME, INTERVAL] = [3000, 50]

/** The view of its receiver shows all roles that there is one. */
const REPLAY = `select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') as "lsn",
  pg_is_wal_replay_paused() as "isPaused",
  exists (select from pg_stat_wal_receiver where pid is not null) as "isReceiving"`

/** Returns why a replica does not catch up with the primary, or null if it does. */
async function findDelay(url: string, { lsn: written }: ServerFacts): Promise<ReplicaProblem | null> {
  const client = await connect(url)
  try {
    const endsAt = performance.now() + CATCH_UP_TIME
    for (;;) {
      const { lsn, isPaused, isReceiving } = (await client.query(REPLAY)).rows[0]
      const missing = (written ?? 0) - lsn
      if (missing <= 0) return null
      if (performance.now() < endsAt) {
        await sleep(INTERVAL)
        continue
      }
      const reason = `it is ${Math.ceil(missing / 1024)} KiB of log behind, and did not catch up in ${CATCH_UP_TIME / 1000} seconds`
      if (isPaused === 1)
        return { reason: `${reason}: the replay is paused`, fix: 'Run on it: SELECT pg_wal_replay_resume();' }
      return isReceiving === 1
        ? {
            reason,
            fix: 'Look at its disk and the network to the primary, and for long statements there: the replay waits for them for up to max_standby_streaming_delay.',
          }
        : {
            reason: `${reason}: it is not connected to its primary`,
            fix: 'Check its primary_conninfo and its log. If the primary has deleted log that it needs, copy it again by pg_basebackup, and give it a replication slot.',
          }
    }
  } finally {
    await client.end()
  }
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
