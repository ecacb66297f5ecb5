import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openApp } from '#app.ts'
import { completeSettings, readSettings } from '#config.ts'
import { openLog } from '#lib/log.ts'
import { MIN_PASSWORD_COST } from '#people/password-hashes.ts'
import { onPostgres } from '../database.ts'
import { type NatsCluster, natsAbsent, startNats } from '../nats.ts'
import { createOrganizationOf, type KillableServer, startKillableServer } from '../processes/killable-server.ts'
import { sharedDatabaseUrl, temporaryFolder } from '../storage.ts'

/** Options of tests with several nodes. */
export const options = { skip: !onPostgres && 'several nodes need PostgreSQL' }

/** The settings that say how nodes reach each other. */
export type BusSettings = Record<string, string>

/** Runs a test twice: with nodes that reach each other by notifications of PostgreSQL, and by NATS. */
export function testNodes(title: string, work: (bus: BusSettings, context: TestContext) => Promise<void>): void {
  test(`${title} (notifications)`, options, (context) => work({}, context))
  test(`${title} (NATS)`, { skip: options.skip || natsAbsent }, async (context) => work(await natsSettings(), context))
}

let nats: Promise<NatsCluster> | undefined

/** Returns the settings of nodes with a NATS server, which the tests of a process share. */
export async function natsSettings(): Promise<BusSettings> {
  nats ??= startNats()
  return { NATS_URL: (await nats).url, SECRET_KEY: 'the secret of all nodes of the tests' }
}

/** Several servers, each in its own process, on one PostgreSQL database. */
export type Nodes = {
  /** The same settings, for another node. */
  readonly settings: Record<string, string>
  /** Starts a node; `script` is the main script of another version. */
  start(settings?: Record<string, string>, script?: string): Promise<KillableServer>
  /** The Authorization header of each user. */
  readonly signatures: readonly string[]
  /** A connection to the database, without a node. */
  readonly sql: pg.Client
  /** Returns the leader among the nodes. */
  leader(nodes: readonly KillableServer[]): Promise<KillableServer>
}

/**
 * Creates an organization with users, the owner first, before any node starts. `environment` has further settings of the
 * nodes, and DATABASE_URL if the database is not one of the server for the tests.
 */
export async function prepareNodes(names: readonly string[], environment: Record<string, string> = {}): Promise<Nodes> {
  const [url, folder] = [environment['DATABASE_URL'] ?? (await sharedDatabaseUrl()), await temporaryFolder()]
  const { NATS_URL: _bus, DATABASE_READ_URLS: _replicas, ...alone } = environment
  const shared = { DATABASE_URL: url, DATA_DIR: folder }
  const app = await openApp({
    settings: completeSettings({ ...readSettings(alone), ...shared }),
    log: openLog('silent'),
    passwordCost: MIN_PASSWORD_COST,
  })
  const signatures = await createOrganizationOf(app, names)
  await app.close()
  const sql = new pg.Client({ connectionString: url })
  await sql.connect()
  after(() => sql.end())
  const settings = { ...environment, ...shared, SEVERAL_NODES: 'true', LOG_LEVEL: 'error' }

  async function findLeader(): Promise<string | undefined> {
    const { rows } = await sql.query(
      `select "description" as name from "nodeLeader" join "nodes" on "id" = "node"
        union all select application_name as name from pg_stat_activity join pg_locks using (pid)
        where locktype = 'advisory' and granted and objid = 2
          and pg_locks.database = (select oid from pg_database where datname = current_database())`,
    )
    return /process (\d+)/.exec(rows[0]?.name ?? '')?.[1]
  }

  return {
    settings,
    signatures,
    sql,
    start: (others = {}, script) => startKillableServer(folder, { ...settings, ...others }, script),
    async leader(nodes) {
      for (;;) {
        const pid = await findLeader()
        const found = nodes.find((node) => String(node.pid) === pid)
        if (found !== undefined) return found
        await sleep(50)
      }
    },
  }
}
