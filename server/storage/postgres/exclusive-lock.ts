import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { NEWEST } from '../migrations.ts'
import { CannotOpenStorage } from '../storage.ts'
import type { RunStatement } from '../transactions/engine.ts'
import {
  disconnect,
  KEEPALIVE_DELAY,
  LASTING_TRANSACTION,
  limitSession,
  postgresTypes,
  toQueryResult,
} from './connection.ts'
import { type DatabaseLock, type DatabaseLockOptions, holdDatabaseLock } from './database-lock.ts'
import { COMMIT_CHANNEL } from './postgres.ts'

/** The two numbers of the advisory lock. Only Parley uses them. Several nodes can share the lock. */
export const SERVING_LOCK = [0x5061726c, 1] as const

/**
 * The number of attempts, 50 ms apart, before the lock counts as taken. Commands that migrate hold the lock only
 * briefly. On a busy machine, PostgreSQL takes a moment to notice the end of the previous process.
 */
const ATTEMPTS = 60

/** The maximum time for connecting, in milliseconds. */
const CONNECTING_TIME = 5000

export type ExclusiveLock = {
  readonly databaseLock: DatabaseLock
  /** Calls `listener` after commits of other processes, and whenever some may have been missed. */
  onOutsideCommit(listener: () => void): void
}

export type LockOptions = { url: string } & Pick<DatabaseLockOptions, 'log' | 'lastIds' | 'replaceOthers' | 'onFatal'>

/**
 * Takes the lock that only one process can hold on a database. A separate connection holds the lock and listens for
 * commits.
 */
export async function takeExclusiveLock({ url, ...options }: LockOptions): Promise<ExclusiveLock> {
  const listeners: (() => void)[] = []
  const notify = () => {
    for (const listener of listeners) listener()
  }
  const connect = () => connectByName(url)
  const databaseLock = await holdDatabaseLock({
    ...options,
    client: await connectAndLock(connect, (client) => takeLock(client, ATTEMPTS)),
    connect,
    take: (client) => takeLock(client, 1),
    sendHeartbeat: (client) => client.query('select 1'),
    onNotification: notify,
    onLost: () => {},
    onRegained: notify,
  })
  return { databaseLock, onOutsideCommit: (listener) => listeners.push(listener) }
}

/** Describes this process to operators. */
export const processName = (): string => `process ${process.pid} on ${hostname()}`

/**
 * Opens a connection with the name of this process and the number of its program. PostgreSQL terminates the connection
 * soon after the process has disappeared. If `isPooled`, a pooler may be in between, and its session is left as it is.
 */
export async function connectByName(url: string, { isPooled = false } = {}): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `parley ${NEWEST}, ${processName()}`,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_DELAY,
    connectionTimeoutMillis: CONNECTING_TIME,
  })
  // Connection errors are handled when the connection ends.
  client.on('error', () => undefined)
  await client.connect()
  if (!isPooled) await limitSession(client, 'lock')
  return client
}

/** Opens a connection and takes the lock on it. Closes the connection if the lock cannot be taken. */
export async function connectAndLock(
  connect: () => Promise<pg.Client>,
  take: (client: pg.Client) => Promise<void>,
): Promise<pg.Client> {
  const client = await connect()
  try {
    await take(client)
    return client
  } catch (error) {
    await disconnect(client)
    throw error
  }
}

/** The lock of the process that makes a backup. */
const BACKUP_LOCK = [SERVING_LOCK[0], 5] as const

/**
 * Takes the lock of backups on a connection of its own, in a transaction that ends with the backup: a pooler may give
 * each transaction another session. Returns its holder if another process has it.
 */
export async function takeBackupLock(url: string): Promise<{ holder: string } | { release(): Promise<void> }> {
  const client = await connectByName(url, { isPooled: true })
  await client.query(`begin; ${LASTING_TRANSACTION}`)
  if (await tryLock(client, 'pg_try_advisory_xact_lock', BACKUP_LOCK)) return { release: () => disconnect(client) }
  const [holder = ''] = await findHolders(runOver(client), BACKUP_LOCK)
  await disconnect(client)
  return { holder: withoutProgram(holder) }
}

async function takeLock(client: pg.Client, attempts: number): Promise<void> {
  for (let attempt = 1; !(await tryLock(client, 'pg_try_advisory_lock', SERVING_LOCK)); attempt++) {
    if (attempt === attempts) throw await heldByAnother(client)
    await sleep(50)
  }
  await requireNoLeases(runOver(client))
  await client.query(`listen ${COMMIT_CHANNEL}`)
}

export async function tryLock(
  client: pg.Client,
  take: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared' | 'pg_try_advisory_xact_lock',
  lock: readonly [number, number],
): Promise<boolean> {
  const { rows } = await client.query(`select ${take}($1, $2) as "isHeld"`, [...lock])
  return rows[0]?.isHeld === true
}

export async function isLockHeld(client: pg.Client, lock: readonly [number, number]): Promise<boolean> {
  return (await findHolders(runOver(client), lock)).length > 0
}

/** Returns the names of the connections that hold the lock. */
export async function findHolders(run: RunStatement, lock: readonly [number, number]): Promise<string[]> {
  const text = `select application_name as "holder" from pg_stat_activity join pg_locks using (pid)
      where locktype = 'advisory' and granted and classid = $1 and objid = $2
        and pg_locks.database = (select oid from pg_database where datname = current_database())`
  const { rows } = await run(CompiledQuery.raw(text, [...lock]))
  return (rows as { holder: string | null }[]).map(({ holder }) => holder ?? '')
}

type Lease = { program: number; description: string }

/** The condition for a row of `nodes` whose lease has not expired. A clock that was set back does not prolong it. */
export const isLive = (seenAt: string): string =>
  `abs(extract(epoch from clock_timestamp()) - ${seenAt}) < ${LEASE_TIME}`

/** Seconds after which a node with NATS_URL that has not renewed its lease is gone. */
export const LEASE_TIME = 10

/** Returns the nodes with NATS_URL that serve the database. */
async function findLeases(run: RunStatement): Promise<Lease[]> {
  const exists = await run(CompiledQuery.raw(`select 1 where to_regclass('"nodes"') is not null`))
  if (exists.rows.length === 0) return []
  const { rows } = await run(
    CompiledQuery.raw(`select "program", "description" from "nodes" where ${isLive('"seenAt"')}`),
  )
  return rows as Lease[]
}

/** Refuses a database that nodes with NATS_URL serve. The caller holds the lock, so that none joins afterwards. */
export async function requireNoLeases(run: RunStatement): Promise<void> {
  const [lease] = await findLeases(run)
  if (lease === undefined) return
  throw new CannotOpenStorage(
    `The database is already being served with NATS_URL by ${lease.description}. Stop it first, or start this process with ` +
      'SEVERAL_NODES=true and the same NATS_URL. A process that was killed counts as running for ten seconds.',
  )
}

/** Describes the processes that serve the database. */
export async function findServers(run: RunStatement): Promise<string[]> {
  const holders = await findHolders(run, SERVING_LOCK)
  const leases = await findLeases(run)
  return [...holders.map(withoutProgram), ...leases.map(({ description }) => description)]
}

/** Returns the number of the program of each process that serves the database; null for a program that does not name it. */
export async function findServingPrograms(run: RunStatement): Promise<(number | null)[]> {
  const holders = await findHolders(run, SERVING_LOCK)
  const leases = await findLeases(run)
  return [
    ...holders.map((holder) => Number(/^parley (\d+), /.exec(holder)?.[1] ?? Number.NaN) || null),
    ...leases.map(({ program }) => program),
  ]
}

/** Runs statements on a connection. */
export const runOver =
  (client: pg.Client): RunStatement =>
  async ({ sql: text, parameters }) =>
    toQueryResult(await client.query({ text, values: [...parameters], types: postgresTypes }))

/** Returns the process in the name of a connection, such as `process 12 on host`. */
export const withoutProgram = (name: string) => name.replace(/^parley( \d+)?, /, '') || 'another process'

export async function heldByAnother(client: pg.Client): Promise<CannotOpenStorage> {
  const [holder = 'another process'] = await findServers(runOver(client))
  return new CannotOpenStorage(
    `The database is already being served by ${holder}. Stop that process first. ` +
      'Several processes can serve one database if each of them is started with SEVERAL_NODES=true.',
  )
}
