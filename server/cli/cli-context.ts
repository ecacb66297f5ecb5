import type { KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { PASSWORD_RESET_VALIDITY, passwordResetKey } from '#accounts/reset-password.ts'
import type { Channel } from '#channels/channel.ts'
import { findRealmChannels } from '#channels/queries.ts'
import { DATABASE_FILE, isPostgresUrl, listOf, readSettings, type Settings } from '#config.ts'
import type { Group } from '#groups/group.ts'
import { findRealmGroups } from '#groups/queries.ts'
import { findSignInMethods } from '#identity/providers.ts'
import { type Clock, systemClock } from '#lib/clock.ts'
import { explainError, OperatorError } from '#lib/errors.ts'
import { openLog } from '#lib/log.ts'
import { commandLine, startCommand } from '#lib/process.ts'
import { type Random, systemRandom } from '#lib/secrets.ts'
import { ensureSystemBots } from '#people/bots.ts'
import { openPasswords } from '#people/password-hashes.ts'
import { requireUsablePassword } from '#people/password-rules.ts'
import { findActiveOwners, findUserByDeliveryEmail } from '#people/user-queries.ts'
import { type Actor, isBot, type User } from '#people/users.ts'
import { findPlace } from '#realms/places.ts'
import { findRealmBySubdomain } from '#realms/queries.ts'
import { type Realm, realmAddress, SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import { databaseName, findDatabaseNumber, settingsOfDatabases } from '#storage/database-numbers.ts'
import { appendEvents } from '#storage/event-log.ts'
import { findServerSecret, openStorage, SECRET_FILE } from '#storage/open-storage.ts'
import type { Origin, Storage } from '#storage/storage.ts'

/** A command that failed or was refused. The reason is printed to standard error, and the exit code is 1. */
export class CliError extends OperatorError {}

/** A command that makes no sense, whatever is in the database. The exit code is 2, as for unknown options. */
export class UsageError extends CliError {}

/** The context of a command. A server may be running on the database at the same time. */
export type CliContext = AsyncDisposable & {
  storage: Storage
  settings: Settings
  clock: Clock
  random: Random
  secret: KeyObject
}

/**
 * Opens the context of a command: the database of the organization with the subdomain `org`, or the first database.
 * Refuses to create an installation unless `mayCreate` is true, because a command in another folder than the server
 * would work on a new, empty one.
 */
export async function openCliContext({
  mayCreate = false,
  org,
}: {
  mayCreate?: boolean
  org?: string | undefined
} = {}): Promise<CliContext> {
  const settings = await settingsFor(readSettings(), org)
  if (!mayCreate) requireInstallation(settings)
  const [clock, random] = [systemClock(), systemRandom]
  const { DATABASE_URL: url } = settings
  if (url !== 'memory' && !isPostgresUrl(url) && !existsSync(url))
    process.stderr.write(`This creates a new database: ${resolve(url)}\n`)
  const storage = await openDatabase(settings, { serve: false })
  await storage.transaction(ensureSystemBots)
  return { storage, settings, clock, random, secret: storage.db.secret(), [Symbol.asyncDispose]: () => storage.close() }
}

/** Returns the settings for the database with the organization, of those that DATABASE_URLS names. */
export async function settingsFor(settings: Settings, org: string | undefined): Promise<Settings> {
  if (settings.DATABASE_URLS === '' || org === undefined) return settings
  await using opened = new AsyncDisposableStack()
  const databases = await openDatabases(settings, opened)
  const place = databases[0] === undefined ? null : await findPlace(databases[0].storage.db, org)
  if (place === null) return settings
  const found = databases.find(({ number }) => number === place.database)
  if (found === undefined)
    throw new CliError(`The organization is in database ${place.database}, which cannot be reached.`)
  return found.settings
}

/** One of several databases of an installation. */
export type NumberedDatabase = { number: number; name: string; storage: Storage; settings: Settings }

/**
 * Opens all databases of the settings, the first one first, and says on standard error which cannot be reached, or have
 * not joined the others yet. The first one must be there.
 */
export async function openDatabases(settings: Settings, opened: AsyncDisposableStack): Promise<NumberedDatabase[]> {
  const databases: NumberedDatabase[] = []
  for (const own of settingsOfDatabases(settings)) {
    const name = databaseName(own)
    try {
      const storage = opened.use(await openDatabase(own, { serve: false }))
      const number = (await findDatabaseNumber(storage.db)) ?? (own === settings ? 0 : null)
      if (number !== null) databases.push({ number, name, storage, settings: own })
      else process.stderr.write(`${name} has not joined the others yet. Start a server with these settings first.\n`)
    } catch (error) {
      const reason = explainError(error)
      if (reason === null || own === settings) throw error
      process.stderr.write(`${name} is left out: ${reason}\n`)
    }
  }
  return databases
}

/** Returns the hash of a password that the operator gave; undefined if they gave none. */
export async function hashGiven(
  { random, settings }: CliContext,
  password: string | undefined,
  account: { email: string; organization: string },
): Promise<string | undefined> {
  if (password === undefined) return undefined
  requireUsablePassword(password, account, settings)
  return openPasswords(random).hash(password)
}

/**
 * Returns the printed facts about the password of a new account. Without a password, it is a link that works once, within
 * an hour; then, "Forgot your password?" sends another. Where passwords are turned off, it is the sign-in page.
 */
export async function passwordOf(
  { secret, settings, clock, storage }: CliContext,
  realm: Realm,
  user: User,
  passwordHash: string | undefined,
): Promise<{ password: string } | { choose_password: string } | { sign_in: string }> {
  const { url } = realmAddress(realm.subdomain, settings.EXTERNAL_URL)
  if (!(await findSignInMethods(storage.db, realm)).isPasswordEnabled) return { sign_in: `${url}/login/` }
  if (passwordHash !== undefined) return { password: '(as given)' }
  const reset = { userId: user.id, expiresAt: clock.now() + PASSWORD_RESET_VALIDITY }
  const key = passwordResetKey(secret, reset, { user, passwordHash: null })
  return { choose_password: `${url}/accounts/password/reset/${key}/` }
}

/**
 * Returns the origin of the transactions of commands. Nothing is logged if standard error is a terminal, where the
 * operator sees the output of the command.
 */
function originOfCommand(settings: Settings): Origin {
  const log = process.stderr.isTTY ? null : openLog(settings.LOG_LEVEL)
  return { by: 'command', actorId: null, remoteAddress: null, client: '', userAgent: '', log }
}

/** Opens the database of the settings. With `serve`, no server may be running on it; otherwise, one may. */
export function openDatabase(settings: Settings, { serve }: { serve: boolean }): Promise<Storage> {
  return openStorage({
    settings: { ...settings, SEVERAL_NODES: false },
    clock: systemClock(),
    random: systemRandom,
    log: openLog(settings.LOG_LEVEL),
    serve,
    isMaintenance: true,
    append: appendEvents,
    origin: originOfCommand(settings),
  })
}

/** Refuses to go on if the settings lead to no data of a server. */
function requireInstallation(settings: Settings): void {
  const { DATABASE_URL: url, DATA_DIR: folder } = settings
  if (!isPostgresUrl(url)) return requireFile(settings)
  // Links and keys would be made with another secret than that of the server.
  if (findServerSecret(settings) === null) throw new CliError(explainAbsence(folder, SECRET_FILE))
}

function requireFile({ DATABASE_URL: url, DATA_DIR: folder }: Pick<Settings, 'DATABASE_URL' | 'DATA_DIR'>): void {
  if (url === 'memory' || existsSync(url)) return
  throw new CliError(
    url === join(folder, DATABASE_FILE)
      ? explainAbsence(folder, DATABASE_FILE)
      : `There is no database at ${url}. Check DATABASE_URL.`,
  )
}

const explainAbsence = (folder: string, file: string) =>
  `There is no data of a server in ${resolve(folder)}: it has no ${file}. ${
    isAbsolute(folder)
      ? 'Check DATA_DIR.'
      : 'Run the command in the folder in which the server was started, or set DATA_DIR to the folder of its data.'
  } If there is no server yet, start it: ${startCommand()}`

/** Refuses to go on if the settings name several databases, for commands that work on one. `words` are the command. */
export function requireOneDatabase({ DATABASE_URLS }: Settings, words: string): void {
  if (DATABASE_URLS === '') return
  throw new UsageError(
    `DATABASE_URLS names ${listOf(DATABASE_URLS).length} databases, and this command works on one. Name it:\n  ` +
      `DATABASE_URLS= DATABASE_URL=postgres://… ${commandLine(words)}`,
  )
}

/** Refuses a database beside the first one, in which nobody would find what the command makes. */
export async function requireFirstDatabase({ db }: Pick<Storage, 'db'>): Promise<void> {
  const number = await findDatabaseNumber(db)
  if (number !== null && number !== 0)
    throw new CliError(
      `DATABASE_URL is database ${number} of an installation with several. Run the command with DATABASE_URLS, which name all of them.`,
    )
}

/** Refuses databases that cannot be copied: in-memory databases and missing files. */
export function requireDatabase(settings: Pick<Settings, 'DATABASE_URL' | 'DATA_DIR'>): void {
  if (settings.DATABASE_URL === 'memory')
    throw new CliError(
      'An in-memory database cannot be copied: it exists only in the process of its server. Set DATABASE_URL to a file or a PostgreSQL URL.',
    )
  if (!isPostgresUrl(settings.DATABASE_URL)) requireFile(settings)
}

/** Returns the organization with the subdomain, or the root organization. */
export async function requireOrganization(
  { storage }: { storage: Pick<Storage, 'db'> },
  subdomain: string,
): Promise<Realm> {
  const realm = await findRealmBySubdomain(storage.db, subdomain)
  if (realm !== null && subdomain !== SYSTEM_SUBDOMAIN) return realm
  const which = subdomain === '' ? 'no root organization' : `no organization with the subdomain '${subdomain}'`
  throw new CliError(`There is ${which}. \`${commandLine('org list')}\` shows all; choose one with --org SUBDOMAIN.`)
}

/** Returns the account with the address in the organization. */
export async function requireAccount(
  { storage }: { storage: Pick<Storage, 'db'> },
  realm: Realm,
  email: string,
): Promise<User> {
  const user = await findUserByDeliveryEmail(storage.db, realm.id, email)
  if (user === null) throw new CliError(`There is no account with the address ${email} in ${realm.name}.`)
  return user
}

/** Returns the channel that the operator names by name, with or without `#`, or by id. */
export async function requireChannel(
  { storage }: { storage: Pick<Storage, 'db'> },
  realm: Realm,
  given: string,
): Promise<Channel> {
  const wanted = given.replace(/^#/, '').toLowerCase()
  const channels = await findRealmChannels(storage.db, realm.id)
  const channel =
    channels.find(({ name }) => name.toLowerCase() === wanted) ?? channels.find(({ id }) => String(id) === wanted)
  if (channel === undefined)
    throw new CliError(`There is no channel ${given} in ${realm.name}. \`${commandLine('channel list')}\` shows all.`)
  return channel
}

/**
 * Returns the user group that the operator names by name, with or without `@`, or by id. Of groups with the same name,
 * the active one is meant.
 */
export async function requireGroup(
  { storage }: { storage: Pick<Storage, 'db'> },
  realm: Realm,
  given: string,
): Promise<Group> {
  const wanted = given.replace(/^@/, '').toLowerCase()
  const groups = [...(await findRealmGroups(storage.db, realm.id)).byId.values()]
  const named = groups.filter(({ name }) => name.toLowerCase() === wanted)
  const group =
    named.find(({ deactivatedAt }) => deactivatedAt === null) ??
    named.at(-1) ??
    groups.find(({ id }) => String(id) === wanted)
  if (group === undefined)
    throw new CliError(`There is no group ${given} in ${realm.name}. \`${commandLine('group list')}\` shows all.`)
  return group
}

/**
 * Returns the account in whose name a command acts, whose permissions apply: the one with the address, or the owner who
 * has been there longest.
 */
export async function requireActor(
  { storage }: { storage: Pick<Storage, 'db'> },
  realm: Realm,
  email: string | undefined,
): Promise<Actor> {
  const user =
    email === undefined
      ? (await findActiveOwners(storage.db, realm.id))[0]
      : await requireAccount({ storage }, realm, email)
  if (user === undefined) throw new CliError(`${realm.name} has no active owner. Name an account with --as ADDRESS.`)
  if (isBot(user) || user.deactivatedAt !== null) throw new CliError(`${email} is not the address of an active person.`)
  return { ...user, realm }
}
