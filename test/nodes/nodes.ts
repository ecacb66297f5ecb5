import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openApp } from '../../server/app.ts'
import { openLog } from '../../server/base/log.ts'
import { completeSettings, readSettings } from '../../server/config.ts'
import { LEAST_PASSWORD_COST } from '../../server/users/passwords/passwords.ts'
import { onPostgres } from '../database.ts'
import { foundOrganizationOf, type KillableServer, startKillableServer } from '../processes/killable-server.ts'
import { sharedDatabaseUrl, temporaryFolder } from '../storage.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever field they are about
export type NodeAnswer = { status: number; [field: string]: any }

/** Of tests with several nodes. */
export const options = { skip: !onPostgres && 'several nodes need PostgreSQL' }

/** Several servers, each a process of its own, on one PostgreSQL database. */
export type Nodes = {
  /** The same settings for one more. */
  readonly settings: Record<string, string>
  start(): Promise<KillableServer>
  /** How each of the people signs their requests. */
  readonly signatures: readonly string[]
  /** A connection to the database, past all nodes. */
  readonly sql: pg.Client
  /** Of `nodes` the one that leads. */
  leader(nodes: readonly KillableServer[]): Promise<KillableServer>
}

/** An organization of people, its owner first, whom no node serves yet. */
export async function foundNodes(names: readonly string[]): Promise<Nodes> {
  const [url, folder] = [await sharedDatabaseUrl(), await temporaryFolder()]
  const shared = { DATABASE_URL: url, DATA_DIR: folder }
  const app = await openApp({
    settings: completeSettings({ ...readSettings({}), ...shared }),
    log: openLog('silent'),
    passwordCost: LEAST_PASSWORD_COST,
  })
  const signatures = await foundOrganizationOf(app, names)
  await app.close()
  const sql = new pg.Client({ connectionString: url })
  await sql.connect()
  after(() => sql.end())
  const settings = { ...shared, SEVERAL_NODES: 'true', LOG_LEVEL: 'error' }

  async function findLeader(): Promise<string | undefined> {
    const { rows } = await sql.query(
      `select application_name as name from pg_stat_activity join pg_locks using (pid)
        where locktype = 'advisory' and granted and objid = 2
          and pg_locks.database = (select oid from pg_database where datname = current_database())`,
    )
    return /process (\d+)/.exec(rows[0]?.name ?? '')?.[1]
  }

  return {
    settings,
    signatures,
    sql,
    start: () => startKillableServer(folder, settings),
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

/** Calls an endpoint of a node: strings go raw, all else as JSON. */
export async function callNode(
  { url }: KillableServer,
  authorization: string,
  route: string,
  params: Record<string, unknown> = {},
): Promise<NodeAnswer> {
  const [method = '', path] = route.split(' ')
  const texts = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const form = new URLSearchParams(texts)
  const inQuery = method === 'GET'
  const address = `${url}/api/v1${path}${inQuery ? `?${form}` : ''}`
  const answer = await fetch(address, { method, headers: { authorization }, ...(inQuery ? {} : { body: form }) })
  return { ...((await answer.json()) as object), status: answer.status }
}

/** Somebody's client, which goes on at whatever node it is sent to. */
export async function follow(node: KillableServer, authorization: string) {
  const { queue_id, last_event_id } = await callNode(node, authorization, 'POST /register', {
    event_types: ['message'],
  })
  const [ids, heard] = [[Number(last_event_id)], [] as number[]]
  return {
    queue_id: String(queue_id),
    ids,
    /** The ids of the messages. */
    heard,
    async poll(at: KillableServer, options: object = {}): Promise<NodeAnswer> {
      const params = { queue_id, last_event_id: ids.at(-1), ...options }
      const answer = await callNode(at, authorization, 'GET /events', params)
      for (const { id, message } of answer['events'] ?? []) {
        ids.push(id)
        if (message !== undefined) heard.push(message.id)
      }
      return answer
    },
  }
}

/** Each once. */
export const inOrder = (ids: readonly number[]) => [...new Set(ids)].sort((one, other) => one - other)

export const toAda = (content: string) => ({ type: 'direct', to: ['ada@example.com'], content })
