import pg from 'pg'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import { isLoopbackHost } from '#lib/public-address.ts'
import { findSchemaVersion, migrate, needsMigration, requireKnownVersion, requireNoMigration } from '../migrations.ts'
import { CannotOpenStorage } from '../storage.ts'
import type { Engine, NodeMembership, RunStatement } from '../transactions/engine.ts'
import { type DatabaseLock, DatabaseReplaced, type LastIds, requireLastIds } from './database-lock.ts'
import { type ExclusiveLock, takeExclusiveLock } from './exclusive-lock.ts'
import { joinNodes, type PostgresNode } from './join-nodes.ts'
import { type Connections, openConnections } from './pool.ts'
import { postgresEngine } from './postgres.ts'

type PostgresOptions = {
  clock: Clock
  log: Log
  /** The maximum number of connections that run statements. */
  maxConnections: number
  serve: boolean
  /** True if other nodes may serve the database beside this process. */
  isShared: boolean
  isMaintenance: boolean
  /** The last id of each counter that this process knows to be committed. */
  lastIds: LastIds
  onFatal: (error: unknown) => void
}

type OpenedPostgres = { engine: Engine; migrated: string[]; nodes: NodeMembership | null; isFirst: boolean }

/** Connects to `url`. The lock is held as long as the database is served; commands hold it only during a migration. */
export async function openPostgres(
  url: string,
  { clock, log, maxConnections, serve, isShared, isMaintenance: mayTakeLong, lastIds, onFatal }: PostgresOptions,
): Promise<OpenedPostgres> {
  requireEncryption(url)
  const requireIds = async (client: pg.ClientBase) => {
    await requireLastIds(client, lastIds).catch((error) => {
      if (error instanceof DatabaseReplaced) onFatal(error)
      throw error
    })
  }
  const opening = { url, log, max: maxConnections, requireIds }
  const connections = openConnections({ ...opening, kind: serve && !mayTakeLong ? 'server' : 'command' })
  let lock: ExclusiveLock | null = null
  let node: PostgresNode | null = null
  const databaseLock = () => (node ?? lock)?.databaseLock ?? null
  const engine = postgresEngine({ connections, notifies: !serve, databaseLock })
  const holding = { url, log, lastIds, replaceOthers: connections.replaceAll, onFatal }
  const close = async () => {
    await engine.close()
    await databaseLock()?.release()
  }
  const requireSameSchema = async (read: RunStatement) => {
    requireNoMigration(await findKnownVersion(read))
  }
  try {
    await requireUnicode(connections.pool, url)
    const version = await findKnownVersion(engine.read)
    if (serve && isShared) {
      node = await joinNodes({ ...holding, clock, requireSameSchema })
      if (!node.isFirst) await requireSameSchema(engine.read)
    } else if (serve || needsMigration(version)) lock = await takeExclusiveLock(holding)
    // Another process may have migrated the database while this one waited for the lock.
    const isOld = needsMigration(await findKnownVersion(engine.read))
    const migrated = isOld
      ? await migrateOver(openConnections({ ...opening, kind: 'command' }), { databaseLock, appliedAt: clock.now() })
      : []
    if (!serve) {
      await lock?.databaseLock.release()
      lock = null
    }
    const onOutsideCommit = (listener: () => void) => {
      engine.onOutsideCommit(listener)
      lock?.onOutsideCommit(listener)
    }
    return {
      engine: { ...engine, onOutsideCommit, close },
      migrated,
      nodes: node,
      isFirst: serve && (node === null || node.isFirst),
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function findKnownVersion(read: RunStatement): Promise<number> {
  const version = await findSchemaVersion(read, 'postgres')
  requireKnownVersion(version)
  return version
}

/**
 * Migrates over separate connections and closes them. Statements on these connections may take as long as large tables
 * need.
 */
async function migrateOver(
  connections: Connections,
  { databaseLock, appliedAt }: { databaseLock: () => DatabaseLock | null; appliedAt: number },
): Promise<string[]> {
  try {
    return await migrate(postgresEngine({ connections, notifies: false, databaseLock }), appliedAt)
  } finally {
    await connections.close()
  }
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
  )
}

async function requireUnicode(pool: pg.Pool, url: string): Promise<void> {
  const { host, database } = new pg.Client({ connectionString: url })
  const found = await pool.query('show server_encoding').catch((error: Error) => {
    throw new CannotOpenStorage(`PostgreSQL at ${host} refuses ${database}: ${error.message}`, { cause: error })
  })
  const encoding = found.rows[0]?.server_encoding
  if (encoding !== 'UTF8') {
    throw new CannotOpenStorage(`The database ${database} has the encoding ${encoding}; UTF8 is needed`)
  }
}
