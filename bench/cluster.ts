import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../test/free-port.ts'
import { type Child, onServerCore, type Usage, untilExit } from './child.ts'
import type { DataLocation } from './disk.ts'
import { makeDatabase } from './launched.ts'
import type { Size } from './populate.ts'
import { startServerAt } from './servers.ts'
import type { Used } from './unit-cost.ts'

/** How the server runs: as one process, or as nodes that reach each other by notifications of PostgreSQL or by NATS. */
export type Setup = { readonly nodes: number; readonly bus: 'none' | 'notify' | 'nats' }

/** The processes of one installation, with what they have used. */
export type Cluster = AsyncDisposable & {
  readonly children: readonly Child[]
  readonly ports: readonly [number, ...number[]]
  /** Returns what all processes have used since they started. */
  used(): Promise<Used>
  /** Moves the clocks of all nodes forwards. */
  advance(seconds: number): Promise<void>
}

const NATS_SERVER = '/usr/sbin/nats-server'

/** The reason why NATS cannot be measured; false if it can. */
export const natsAbsent = !existsSync(NATS_SERVER) && `${NATS_SERVER} is absent: install the package nats-server`

/** The reason why the CPU time of PostgreSQL and NATS cannot be measured; false if it can. */
export const procAbsent = process.platform !== 'linux' && 'it reads CPU times from /proc, which only Linux has'

/** The secret of all nodes, and of the process that populates their database. */
const COMMON_SETTINGS = { SECRET_KEY: 'the secret of all nodes of the bench' }

/** Creates the users of an installation at an empty location. */
export const populateAt = (location: DataLocation, size: Size) => makeDatabase(location, size, COMMON_SETTINGS)

/** Starts the nodes one after another at a location with users. */
export async function startCluster(location: DataLocation, { nodes, bus }: Setup): Promise<Cluster> {
  const nats = bus === 'nats' ? await startNats() : null
  const environment = {
    ...COMMON_SETTINGS,
    ...(bus !== 'none' && { SEVERAL_NODES: 'true' }),
    ...(nats !== null && { NATS_URL: nats.url }),
  }
  const servers = [await startServerAt(location, undefined, environment)]
  while (servers.length < nodes) servers.push(await startServerAt(location, undefined, environment))
  const database = location.databaseUrl.startsWith('postgres') ? await watchPostgres(location.databaseUrl) : null
  const children = servers.map(({ child }) => child)
  const sum = async (question: string, read: (answer: unknown) => number) => {
    const answers = await Promise.all(children.map((child) => child.ask(question)))
    return answers.map(read).reduce((one, other) => one + other, 0)
  }
  return {
    children,
    ports: servers.map(({ port }) => port) as [number, ...number[]],
    async used() {
      return {
        nodes: await sum('usage', (usage) => (usage as Usage).cpuMicros),
        statements: await sum('statements', Number),
        ...(await database?.used()),
        ...(await nats?.used()),
      }
    },
    async advance(seconds) {
      await Promise.all(children.map((child) => child.ask('advance', seconds)))
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers.toReversed()) await server[Symbol.asyncDispose]()
      await database?.close()
      await nats?.stop()
    },
  }
}

async function watchPostgres(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const server = readProcess(rows[0].pid)?.parent ?? 0
  return {
    async used() {
      const found = await client.query(`select pg_current_wal_insert_lsn() - '0/0' as bytes`)
      return { postgres: cpuMicrosOf(server), walBytes: Number(found.rows[0].bytes) }
    },
    close: () => client.end(),
  }
}

/** Starts a NATS server that reports on its traffic. */
async function startNats() {
  const [port, reports] = [await freePort(), await freePort()]
  const [program = '', ...args] = onServerCore([NATS_SERVER, '--addr', '127.0.0.1', '--port', String(port)])
  const child = spawn(program, [...args, '--http_port', String(reports)], { stdio: 'ignore' })
  const ended = untilExit(child)
  const endAtOnce = () => void child.kill('SIGKILL')
  process.once('exit', endAtOnce)
  const findTraffic = async () => {
    const response = await fetch(`http://127.0.0.1:${reports}/varz`)
    const { in_bytes, out_bytes } = (await response.json()) as { in_bytes: number; out_bytes: number }
    return in_bytes + out_bytes
  }
  while (Number.isNaN(await findTraffic().catch(() => Number.NaN))) {
    if (child.exitCode !== null) throw new Error(`${NATS_SERVER} ended with ${child.exitCode}`)
    await sleep(10)
  }
  return {
    url: `nats://127.0.0.1:${port}`,
    used: async () => ({ nats: cpuMicrosOf(child.pid as number), busBytes: await findTraffic() }),
    async stop() {
      process.off('exit', endAtOnce)
      child.kill('SIGTERM')
      await ended
    },
  }
}

const MICROS_PER_TICK = 10_000

/** Returns the CPU time of the process, of its children, and of those that have ended. */
function cpuMicrosOf(pid: number): number {
  const own = readProcess(pid)
  let micros = (own?.micros ?? 0) + (own?.microsOfEnded ?? 0)
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? readProcess(Number(name)) : null
    if (found?.parent === pid) micros += found.micros
  }
  return micros
}

function readProcess(pid: number): { parent: number; micros: number; microsOfEnded: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in parentheses, may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [, parent = 0] = fields.map(Number)
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0, , , threads] = fields.slice(11, 18).map(Number)
    // The nanoseconds of a thread are exact, while `stat` has hundredths of a second.
    const micros =
      threads === 1
        ? Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000
        : (user + system) * MICROS_PER_TICK
    return { parent, micros, microsOfEnded: (endedUser + endedSystem) * MICROS_PER_TICK }
  } catch {
    return null
  }
}
