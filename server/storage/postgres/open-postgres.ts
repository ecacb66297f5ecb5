import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import { isLoopbackHost } from '#lib/public-address.ts'
import { findSchemaVersion, migrate, needsMigration, requireKnownVersion, type SchemaVersion } from '../migrations.ts'
import type { Bus, BusOptions } from '../nats/bus.ts'
import { CannotOpenStorage, LockTimeout } from '../storage.ts'
import type { Engine, NodeMembership, RunStatement } from '../transactions/engine.ts'
import { type DatabaseLock, DatabaseReplaced, findUniqueName, type LastIds, requireLastIds } from './database-lock.ts'
import { type ExclusiveLock, findServingPrograms, takeExclusiveLock } from './exclusive-lock.ts'
import { joinNodes, MIGRATION_LOCK, type PostgresNode } from './join-nodes.ts'
import { joinNodesByLease } from './lease-nodes.ts'
import { type Connections, openConnections } from './pool.ts'
import { COMMAND_ANNOUNCEMENT, NO_ANNOUNCEMENT, postgresEngine, sendOver } from './postgres.ts'
import type { OpenReplicas } from './replicas/replicas.ts'

type PostgresOptions = {
  /** The id of this process among the nodes. */
  id: string
  clock: Clock
  log: Log
  /** The maximum number of connections that run statements. */
  maxConnections: number
  serve: boolean
  /** True if other nodes may serve the database beside this process. */
  isShared: boolean
  /** The NATS servers of the nodes; null if they notify each other by PostgreSQL. */
  nats: Omit<BusOptions, 'database'> | null
  isMaintenance: boolean
  /** The URLs of hot standbys, for large reads of a process that serves the database. */
  replicaUrls: readonly string[]
  /** The last id of each counter that this process knows to be committed. */
  lastIds: LastIds
  onFatal: (error: unknown) => void
}

type OpenedPostgres = { engine: Engine; migrated: string[]; nodes: NodeMembership | null; isFirst: boolean }

/** Connects to `url`. The lock is held as long as the database is served; commands hold it only during a migration. */
export async function openPostgres(url: string, options: PostgresOptions): Promise<OpenedPostgres> {
  const { id, clock, log, maxConnections, serve, isShared, nats, isMaintenance, lastIds, onFatal } = options
  const { replicaUrls } = options
  for (const one of [url, ...replicaUrls]) requireEncryption(one)
  const requireIds = async (client: pg.ClientBase) => {
    await requireLastIds(client, lastIds).catch((error) => {
      if (error instanceof DatabaseReplaced) onFatal(error)
      throw error
    })
  }
  const opening = { url, log, max: maxConnections, requireIds }
  const kind = serve && !isMaintenance ? 'server' : 'command'
  const connections = openConnections({ ...opening, kind })
  let lock: ExclusiveLock | null = null
  let node: PostgresNode | null = null
  let replicas: OpenReplicas | null = null
  const databaseLock = () => (node ?? lock)?.databaseLock ?? null
  let bus: Bus | null = null
  const isPooled = nats !== null
  const announcement = () => (serve ? (node?.announcement ?? NO_ANNOUNCEMENT) : COMMAND_ANNOUNCEMENT)
  const engine = postgresEngine({ connections, isPooled, kind, announcement, databaseLock })
  const holding = { url, log, lastIds, replaceOthers: connections.replaceAll, onFatal }
  const close = async () => {
    await Promise.all([engine.close(), replicas?.close()])
    await databaseLock()?.release()
    await bus?.close()
  }
  const join = async () => {
    const joining = { ...holding, clock, requireUsable }
    if (nats === null) return joinNodes({ ...joining, send: sendOver(connections) })
    const { openBus } = await import('../nats/bus.ts')
    bus = await openBus({ ...nats, database: await findUniqueName(connections.pool, url) })
    return joinNodesByLease({ ...joining, id, bus })
  }
  const requireUsable = async (read: RunStatement) => void (await findKnownVersion(read))
  try {
    await requireUnicode(connections.pool, url)
    const version = await findKnownVersion(engine.read)
    if (serve && isShared) node = await join()
    else if (!serve && nats !== null && needsMigration(version))
      node = await joinAlone({ ...holding, clock, requireUsable, id, bus: null })
    else if (serve || needsMigration(version)) lock = await takeExclusiveLock(holding)
    // Another process may have migrated the database while this one waited for the lock.
    const isOld = needsMigration(await findKnownVersion(engine.read))
    const isBesideOthers = node !== null && !node.isFirst
    const migrated = isOld
      ? await migrateOver(openConnections({ ...opening, kind: 'command' }), {
          ...{ databaseLock, isPooled, isBesideOthers },
          appliedAt: clock.now(),
        })
      : []
    if (!serve) {
      await databaseLock()?.release()
      lock = null
      node = null
    }
    if (serve && replicaUrls.length > 0) {
      const { openReplicas } = await import('./replicas/replicas.ts')
      replicas = await openReplicas({
        urls: replicaUrls,
        log,
        maxConnections,
        primary: connections,
        readPrimary: engine.read,
      })
    }
    const giveUp = () => {
      engine.giveUp()
      replicas?.giveUp()
    }
    const onOutsideCommit = (listener: () => void) => {
      engine.onOutsideCommit(listener)
      lock?.onOutsideCommit(listener)
    }
    return {
      engine: { ...engine, replicas, onOutsideCommit, giveUp, close },
      migrated,
      nodes: node,
      isFirst: serve && (node === null || node.isFirst),
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Holds the database for a command, over a pooler that keeps no locks of sessions. */
async function joinAlone(options: Parameters<typeof joinNodesByLease>[0]): Promise<PostgresNode> {
  const node = await joinNodesByLease(options)
  if (node.isFirst) return node
  await node.databaseLock.release()
  throw new CannotOpenStorage(
    'Nodes serve the database, and it is of an older version than this command. The first node of the new version migrates ' +
      'it; or stop all nodes first.',
  )
}

async function findKnownVersion(read: RunStatement): Promise<SchemaVersion> {
  const version = await findSchemaVersion(read, 'postgres')
  requireKnownVersion(version)
  return version
}

type MigrationOptions = {
  isPooled: boolean
  databaseLock: () => DatabaseLock | null
  appliedAt: number
  /** True if nodes serve the database meanwhile. */
  isBesideOthers: boolean
}

/**
 * Migrates over separate connections and closes them. Statements on these connections may take as long as large tables
 * need, unless nodes serve the database: then a migration waits only briefly for the locks of their transactions, which
 * wait for it in turn, and is tried again.
 */
async function migrateOver(
  connections: Connections,
  { isPooled, databaseLock, appliedAt, isBesideOthers }: MigrationOptions,
): Promise<string[]> {
  const announcement = () => NO_ANNOUNCEMENT
  const engine = postgresEngine({ connections, isPooled, kind: 'command', announcement, databaseLock })
  try {
    if (!isBesideOthers) return await migrate(engine, { appliedAt })
    for (let attempt = 1; ; attempt++) {
      try {
        return await migrate(engine, { appliedAt, lockNodes })
      } catch (error) {
        const isBusy = error instanceof LockTimeout || engine.isRetryable(error)
        if (!isBusy || attempt === MIGRATION_ATTEMPTS) throw error
        await sleep(MIGRATION_PAUSE)
      }
    }
  } finally {
    await connections.close()
  }
}

/** A migration beside other nodes waits this long for a lock, is tried this often, and waits between two attempts. */
const MIGRATION_LOCK_TIME = 1000
const MIGRATION_ATTEMPTS = 60
const MIGRATION_PAUSE = 500

async function lockNodes(run: RunStatement): Promise<(number | null)[]> {
  await run(CompiledQuery.raw('select pg_advisory_xact_lock($1, $2)', [...MIGRATION_LOCK]))
  await run(CompiledQuery.raw(`set local lock_timeout = ${MIGRATION_LOCK_TIME}`))
  return findServingPrograms(run)
}

/** Refuses an unencrypted connection to another machine, unless the URL asks for it. */
export function requireEncryption(url: string): void {
  const { host, ssl } = new pg.Client({ connectionString: url })
  const isLocal = host.startsWith('/') || isLoopbackHost(host)
  const isWanted = /[?&](sslmode=disable|ssl=(false|0))(&|$)/.test(url)
  if (ssl || isLocal || isWanted) return
  throw new CannotOpenStorage(
    `The connection to PostgreSQL at ${host} would not be encrypted. Append ?sslmode=verify-full to the URL of the ` +
      'database, or ?sslmode=disable if the network between the machines is trusted.',
    { isTemporary: false },
  )
}

/** The codes of PostgreSQL for an unknown account, a wrong password, and a database that does not exist. */
const WRONG_ACCOUNT = ['28000', '28P01', '3D000']

async function requireUnicode(pool: pg.Pool, url: string): Promise<void> {
  const { host, port, database } = new pg.Client({ connectionString: url })
  const found = await pool.query('show server_encoding').catch((error: Error) => {
    const isAway = 'code' in error && error.code === 'ECONNREFUSED'
    throw new CannotOpenStorage(
      isAway
        ? `Nothing listens at ${host}, port ${port}. Check that PostgreSQL runs, and the host and port of its URL.`
        : `PostgreSQL at ${host} refuses ${database}: ${error.message}`,
      { isTemporary: !('code' in error && WRONG_ACCOUNT.includes(String(error.code))), cause: error },
    )
  })
  const encoding = found.rows[0]?.server_encoding
  if (encoding !== 'UTF8') {
    throw new CannotOpenStorage(`The database ${database} has the encoding ${encoding}; UTF8 is needed`, {
      isTemporary: false,
    })
  }
}
