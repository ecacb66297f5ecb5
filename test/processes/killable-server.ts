import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { after } from 'node:test'
import { type App, type AppOptions, openApp } from '#app.ts'
import { completeSettings, readSettings, type Settings } from '#config.ts'
import { openLog } from '#lib/log.ts'
import { createOrganization } from '#organizations/create-organization.ts'
import { issueApiKey } from '#people/api-keys.ts'
import { MIN_PASSWORD_COST } from '#people/password-hashes.ts'
import { openSession } from '#people/sessions.ts'
import { saveUser } from '#people/user-queries.ts'
import { Role } from '#rules/role.ts'
import { builtServer } from './built-server.ts'

export type KillableServer = {
  url: string
  pid: number | undefined
  /** Ends the process like a crash. */
  kill(): Promise<void>
  /** Stops the server as a service manager does; resolves to its exit code. */
  stop(): Promise<number>
  /** Resolves when the process exits for any reason. */
  ended: Promise<unknown>
}

const paths = (folder: string) => ({ DATABASE_URL: path.join(folder, 'parley.db'), DATA_DIR: folder })

/** Opens the database of the folder in this process; no server may be running on it. */
export function openAppIn(
  folder: string,
  options: Partial<AppOptions> = {},
  others: Partial<Settings> = {},
): Promise<App> {
  const settings = completeSettings({ ...readSettings({}), ...paths(folder), ...others })
  return openApp({ settings, log: openLog('silent'), passwordCost: MIN_PASSWORD_COST, ...options })
}

/** Creates a database in the folder, with an organization that has one user, Ada; returns her authorization header. */
export async function createOrganizationIn(folder: string): Promise<string> {
  await using app = await openAppIn(folder)
  const [ada] = await createOrganizationOf(app, ['ada'])
  return ada as string
}

/** Creates an organization with these users, its owner first; returns their authorization headers. */
export function createOrganizationOf({ services }: App, names: readonly string[]): Promise<string[]> {
  return services.transaction(async (tx) => {
    const realm = await createOrganization(tx, '', 'Example')
    const signatures: string[] = []
    for (const name of names) {
      const deliveryEmail = `${name}@example.com`
      const role = signatures.length === 0 ? Role.owner : Role.member
      const { id } = await saveUser(tx, { realmId: realm.id, deliveryEmail, fullName: name, role })
      const key = await issueApiKey(tx, id, 'test')
      signatures.push(`Basic ${Buffer.from(`${deliveryEmail}:${key}`).toString('base64')}`)
    }
    return signatures
  })
}

export type LoggedInPerson = { id: number; token: string; authorization: string }

/** Creates an organization with these users in the folder; returns the session and the API key of each. */
export async function createLoggedInPeople(folder: string, names: readonly string[]): Promise<LoggedInPerson[]> {
  await using app = await openAppIn(folder)
  const authorizations = await createOrganizationOf(app, names)
  const { db, transaction } = app.services
  const people: LoggedInPerson[] = []
  for (const [at, name] of names.entries()) {
    const { id } = await db
      .selectFrom('users')
      .select('id')
      .where('deliveryEmail', '=', `${name}@example.com`)
      .executeTakeFirstOrThrow()
    const { token } = await transaction((tx) => openSession(tx, id, { isKept: true }))
    people.push({ id, token, authorization: authorizations[at] as string })
  }
  return people
}

/**
 * Starts the server in a separate process, on the SQLite file of the folder. `script` is the main script of another
 * version.
 */
export async function startKillableServer(
  folder: string,
  settings: Record<string, string> = {},
  script?: string,
): Promise<KillableServer> {
  const main = script ?? (await builtServer('server/main.ts'))
  const env = { ...process.env, ...paths(folder), PORT: '0', RATE_LIMITING: 'false', LOG_LEVEL: 'warn', ...settings }
  const child = spawn(process.execPath, [main], { stdio: ['ignore', 'pipe', 'inherit'], env })
  const closed = once(child, 'close')
  after(() => child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (text) => {
    said += text
  })
  const ended = closed.then(([code]) => {
    throw new Error(`The server ended by itself, with code ${code}`)
  })
  ended.catch(() => undefined)
  while (!said.includes('\n')) await Promise.race([once(child.stdout, 'data'), ended])
  const url = /http:\/\/\S+/.exec(said)?.[0]
  if (url === undefined) throw new Error(`The server said ${said}`)
  return {
    url,
    pid: child.pid,
    ended: closed,
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
    async stop() {
      child.kill('SIGTERM')
      const [code] = await closed
      return code
    },
  }
}
