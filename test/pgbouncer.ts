import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './storage.ts'

// A real PgBouncer on loopback in front of the PostgreSQL of the tests.

const PROGRAM = '/usr/sbin/pgbouncer'

/** The reason to skip the tests with PgBouncer; false if they can run. */
export const pgbouncerAbsent = !existsSync(PROGRAM) && `${PROGRAM} is absent: install the package pgbouncer`

/** The account of `nobody`: PgBouncer does not run as root. */
const NOBODY = 65_534

const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts a pooler in transaction mode with this many connections. Returns the URL of the database behind it. */
export async function startPgbouncer(databaseUrl: string, poolSize: number): Promise<string> {
  const { host, port, user = 'postgres', database } = new pg.Client({ connectionString: databaseUrl })
  const [folder, ownPort] = [await temporaryFolder(), await freePort()]
  const [configuration, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users.txt')]
  await writeFile(users, `"${user}" ""\n`)
  await writeFile(
    configuration,
    [
      ...['[databases]', `* = host=${host} port=${port}`, '[pgbouncer]'],
      ...[`listen_addr = 127.0.0.1`, `listen_port = ${ownPort}`, 'unix_socket_dir =', 'auth_type = trust'],
      ...[`auth_file = ${users}`, 'pool_mode = transaction', `default_pool_size = ${poolSize}`],
      // Each statement gets another session, so that nothing can depend on one.
      ...['server_round_robin = 1', ''],
    ].join('\n'),
  )
  const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  if (account.uid !== undefined) for (const path of [folder, configuration, users]) await chown(path, NOBODY, NOBODY)
  const child = spawn(PROGRAM, [configuration], { stdio: 'ignore', ...account })
  running.add(child)
  const url = `postgres://${user}@127.0.0.1:${ownPort}/${database}`
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`${PROGRAM} ended with ${child.exitCode}`)
    await sleep(20)
  }
  return url
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
