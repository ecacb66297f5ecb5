import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { CompiledQuery } from 'kysely'
import { isPostgresUrl, listOf, type Settings } from '#config.ts'
import { findSchemaVersion, NEWEST } from './migrations.ts'
import type { ServerReport } from './nats/bus.ts'
import { findServerSecret } from './open-storage.ts'
import type { Opened, ReplicaReport } from './postgres/inspect-postgres.ts'
import { sqliteConnection } from './sqlite/connection.ts'
import { findLockOwner } from './sqlite/lock.ts'
import { CannotOpenStorage, type Db } from './storage.ts'
import { queryBuilder } from './transactions/query-builder.ts'
import { RecipientChanges } from './transactions/recipient-changes.ts'
import { UserRowLog } from './transactions/user-rows.ts'

// Looks at the database of an installation without changing anything: nothing is created, migrated or locked, whether or
// not a server is running.

export type Inspection = AsyncDisposable & {
  readonly db: Db
  /** The number of the last migration of the database, 0 if it is empty, and of the last one of this program. */
  readonly version: number
  readonly newest: number
  /** True if this program can use the database as it is. */
  readonly isUsable: boolean
  /** Runs a statement that only reads. */
  query(text: string): Promise<Record<string, unknown>[]>
  /** Describes the processes that serve the database. */
  findServers(): Promise<string[]>
}

/** Opens the database of the settings; throws a `CannotOpenStorage` or the error of the database if that is impossible. */
export async function inspectDatabase(settings: Settings): Promise<Inspection> {
  const { DATABASE_URL: url } = settings
  if (url === 'memory') throw new CannotOpenStorage('It is in the memory of the server, and is lost when it stops.')
  const opened = isPostgresUrl(url) ? await inPostgres(url) : openSqlite(url)
  const { dialect, run } = opened
  const queries = queryBuilder(dialect, run)
  const db: Db = Object.assign(queries, {
    largeReads: () => queries,
    ...{ dialect, written: null, knowsRecipients: false, settings, commitCounters: NO_COMMITS },
    secret() {
      const secret = findServerSecret(settings)
      if (secret === null) throw new CannotOpenStorage('The secret of the installation is missing.')
      return secret
    },
  })
  try {
    const { last: version, oldestProgram } = await findSchemaVersion(run, dialect)
    return {
      ...{ db, version, newest: NEWEST },
      isUsable: version >= NEWEST && oldestProgram <= NEWEST,
      query: async (text) => (await run(CompiledQuery.raw(text))).rows as Record<string, unknown>[],
      findServers: opened.findServers,
      [Symbol.asyncDispose]: opened.close,
    }
  } catch (error) {
    await opened.close()
    throw error
  }
}

const NO_COMMITS: Db['commitCounters'] = {
  ...{ commits: new Map(), changes: new Map(), unnamedCommits: new Map(), unnamedChanges: new Map() },
  ...{ userRows: new UserRowLog(), outsideCommits: 0, lastIds: new Map(), isComplete: false },
  recipientChanges: new RecipientChanges(),
}

function openSqlite(path: string): Opened {
  if (!existsSync(path)) throw new CannotOpenStorage(`There is no database at ${path} yet.`)
  const connection = sqliteConnection(new DatabaseSync(path, { readOnly: true, timeout: 2000 }))
  return {
    dialect: 'sqlite',
    run: (query) => connection.run(query),
    findServers: async () => findLockOwner(path),
    close: async () => connection.database.close(),
  }
}

/** The driver is loaded on demand, because it takes time and memory. */
async function inPostgres(url: string): Promise<Opened> {
  const { inspectPostgres } = await import('./postgres/inspect-postgres.ts')
  return inspectPostgres(url)
}

/** Returns for each replica of the settings why it cannot be used, and how to fix that. */
export async function inspectReplicas(settings: Settings): Promise<ReplicaReport[]> {
  const { examineReplicas } = await import('./postgres/inspect-postgres.ts')
  return examineReplicas(settings.DATABASE_URL, listOf(settings.DATABASE_READ_URLS))
}

/**
 * Returns whether a connection to PostgreSQL keeps its session between transactions. A pooler in transaction mode gives
 * it another one when the first is in use.
 */
export async function keepsSessions(url: string): Promise<boolean> {
  const { hasOwnSession } = await import('./postgres/inspect-postgres.ts')
  return hasOwnSession(url)
}

/** Connects to each NATS server of NATS_URL. */
export async function inspectNats(url: string): Promise<ServerReport[]> {
  const { inspectServers } = await import('./nats/bus.ts')
  return inspectServers(url)
}
