import type { KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readSettings, type Settings } from '../config.ts'
import { appendEvents } from '../events/log/log.ts'
import { findRealmBySubdomain } from '../organizations/realms/queries.ts'
import { type Realm, SYSTEM_SUBDOMAIN } from '../organizations/realms/realm.ts'
import { ensureSystemBots } from '../people/users/bots/system-bots.ts'
import { findUserByDeliveryEmail } from '../people/users/queries.ts'
import type { User } from '../people/users/user.ts'
import { OperatorError } from '../platform/errors/operator-error.ts'
import { type Clock, systemClock } from '../platform/runtime/clock.ts'
import { openLog } from '../platform/runtime/log.ts'
import { type Random, systemRandom } from '../platform/security/random.ts'
import { isPostgresUrl, openStorage } from '../platform/storage/open-storage.ts'
import { openServerSecret } from '../platform/storage/server-secret.ts'
import type { Storage } from '../platform/storage/storage.ts'

/** A mistake of whoever typed the command: told on standard error, with exit code 1. */
export class CliError extends OperatorError {}

/** What a command works with: the database, beside the server when one runs. */
export type CliContext = AsyncDisposable & {
  storage: Storage
  settings: Settings
  clock: Clock
  random: Random
  secret: KeyObject
}

export async function openCliContext(): Promise<CliContext> {
  const settings = readSettings()
  const [clock, random] = [systemClock(), systemRandom]
  const storage = await openDatabase(settings, { serve: false })
  await storage.transaction(ensureSystemBots)
  const secret = openServerSecret(settings, random)
  return { storage, settings, clock, random, secret, [Symbol.asyncDispose]: () => storage.close() }
}

/** The database that the settings name; with `serve` as its only process, else beside the server. */
export function openDatabase(settings: Settings, { serve }: { serve: boolean }): Promise<Storage> {
  return openStorage({
    settings: { ...settings, SEVERAL_NODES: false },
    clock: systemClock(),
    random: systemRandom,
    log: openLog(settings.LOG_LEVEL),
    serve,
    isMaintenance: true,
    append: appendEvents,
  })
}

/** Refuses what cannot be copied: a database in memory, or a file that is not there. */
export function requireDatabase(url: string): void {
  if (url === 'memory') throw new CliError('A database in memory ends with its process, and cannot be copied.')
  if (!isPostgresUrl(url) && !existsSync(url))
    throw new CliError(`There is no database at ${url}. DATABASE_URL says which one is meant.`)
}

/** The organization with the subdomain, or the root one. */
export async function requireOrganization(
  { storage }: { storage: Pick<Storage, 'db'> },
  subdomain: string,
): Promise<Realm> {
  const realm = await findRealmBySubdomain(storage.db, subdomain)
  if (realm !== null && subdomain !== SYSTEM_SUBDOMAIN) return realm
  const which = subdomain === '' ? 'no root organization' : `no organization with the subdomain '${subdomain}'`
  throw new CliError(`There is ${which}. \`parley org list\` shows all; choose one with --org SUBDOMAIN.`)
}

/** The account with the address in the organization. */
export async function requireAccount(desk: CliContext, realm: Realm, email: string): Promise<User> {
  const user = await findUserByDeliveryEmail(desk.storage.db, realm.id, email)
  if (user === null) throw new CliError(`Nobody in ${realm.name} has the address ${email}.`)
  return user
}
