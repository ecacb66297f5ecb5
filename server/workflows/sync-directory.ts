import { directoryAvatarName, saveDirectoryAvatar } from '#accounts/avatars.ts'
import { changeAvatar, changeFullName, deactivateUser, reactivateUser } from '#accounts/change-users.ts'
import { changeProfileByDirectory } from '#accounts/profiles.ts'
import type { Services } from '#http/endpoint.ts'
import { catchRefusal } from '#http/refusals.ts'
import { findProvidersUsedBy, findUsersOfProvider, isOfProvider } from '#identity/external-identities.ts'
import {
  type Connection,
  type DirectoryEntry,
  type DirectoryProblem,
  findEntry,
  isDirectoryProblem,
  readEntries,
  withDirectory,
} from '#identity/ldap.ts'
import { type Directory, findDirectories, findSignInMethods } from '#identity/providers.ts'
import { Refusal, refusal } from '#lib/errors.ts'
import { type Job, openDueJob, type PeriodicTaskOptions } from '#lib/jobs.ts'
import { hasLicenses, noLicensesLeft } from '#people/creation-limits.ts'
import { countActiveOwners, findUser, lockActiveUser } from '#people/user-queries.ts'
import type { User } from '#people/users.ts'
import { findRealm, findRealms, lockRealm } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import { Role } from '#rules/role.ts'
import { type Db, type Origin, type Storage, type Transaction, withOrigin } from '#storage/storage.ts'
import { applyMappings, toFullName } from './external-sign-in.ts'

// Keeps accounts like the entries to which they are connected: name, picture, profile fields, groups and role. Accounts
// whose entry is gone or disabled are deactivated, one transaction each. A search that fails changes nobody, and one that
// finds suspiciously little deactivates nobody. Accounts are created only by sign-ins.

/**
 * The number of accounts that may be deactivated at once if the directory has an entry of any account. Beyond it, at most
 * half of all are.
 */
const MAX_LEAVING = 5

/** The maximum number of entries without an id that a line of the log names. */
const MAX_LOGGED = 10

type SyncServices = Pick<Services, 'db' | 'transaction' | 'log' | 'settings' | 'secret' | 'files'>

type SyncOptions = {
  /** True to find out what would change, and to change nothing. */
  isDryRun: boolean
  /** True to deactivate accounts even if they are suspiciously many. */
  isForced: boolean
  /** Ends the requests to the directory, and with them the update. */
  signal?: AbortSignal
}

/** The numbers of accounts of an organization that are connected to the directory. */
export type SyncReport = {
  connected: number
  found: number
  updated: number
  deactivated: number
  reactivated: number
  /** The number of accounts that could not be changed, such as the last owner. The log says why. */
  skipped: number
  /** The number of accounts that were not deactivated, because they are suspiciously many. */
  refused: number
}

const ORIGIN = { by: 'directory', actorId: null, remoteAddress: null, client: 'LDAP', userAgent: '' } as const

/** Updates the connected accounts of an organization. */
export async function syncDirectory(
  services: SyncServices,
  realm: Realm,
  directory: Directory,
  options: SyncOptions,
): Promise<SyncReport | DirectoryProblem> {
  const { db, log } = services
  const connected = await findUsersOfProvider(db, realm.id, directory)
  const accounts = new Set(connected.values())
  const report = {
    connected: accounts.size,
    found: 0,
    updated: 0,
    deactivated: 0,
    reactivated: 0,
    skipped: 0,
    refused: 0,
  }
  if (accounts.size === 0) return report
  const sync: Sync = { services, realm, directory, options, report }
  const fields = { realm_id: realm.id, provider: directory.id }

  return withDirectory(
    directory,
    async (connection) => {
      // An account may have several entries: one that was imported again has another id.
      const found = new Set<number>()
      const staying = new Set<number>()
      const withoutId: string[] = []
      const isWanted = (subject: string) => connected.has(subject)
      for await (const entry of readEntries(connection, directory, isWanted, (dn) => withoutId.push(dn))) {
        const user = await findUser(db, connected.get(entry.subject) ?? 0)
        if (user === null) continue
        found.add(user.id)
        if (entry.isDisabled) continue
        staying.add(user.id)
        await update(sync, entry, user)
      }
      report.found = found.size
      if (withoutId.length > 0) {
        const line = { ...fields, count: withoutId.length, entries: withoutId.slice(0, MAX_LOGGED) }
        log.warn(line, 'Entries of a directory have no id, so they were left out')
      }
      const active = await findActive(db, accounts)
      const leaving = active.filter(({ id }) => !staying.has(id))
      const isSuspicious =
        (leaving.length > MAX_LEAVING && leaving.length > active.length / 2) || (found.size === 0 && leaving.length > 1)
      if (isSuspicious && !options.isForced) {
        report.refused = leaving.length
        log.warn(
          { ...fields, deactivated: 0, found: found.size, connected: accounts.size, refused: leaving.length },
          'A directory lacks suspiciously many people, so no account was deactivated: `parley ldap sync --force` does it',
        )
      } else for (const user of leaving) await leave(sync, connection, user)
      return report
    },
    options.signal,
  )
}

type Sync = {
  services: SyncServices
  realm: Realm
  directory: Directory
  options: SyncOptions
  report: SyncReport
}

async function findActive(db: Db, ids: Iterable<number>): Promise<User[]> {
  const users: User[] = []
  for (const id of ids) {
    const user = await findUser(db, id)
    if (user?.deactivatedAt === null) users.push(user)
  }
  return users
}

/** Undoes the transaction of a dry run after its work. */
class Undone<Result> extends Error {
  readonly result: Result

  constructor(result: Result) {
    super('Undone')
    this.result = result
  }
}

/**
 * Runs one change in a transaction of the directory, and returns its result, or null after counting and logging a refusal.
 * In a dry run, nothing is committed.
 */
async function change<Result>(
  { services, realm, directory, options, report }: Sync,
  user: User,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result | null> {
  const { transaction, log } = services
  const origin: Origin = { ...ORIGIN, log: options.isDryRun ? null : log }
  try {
    const result = await catchRefusal(() =>
      withOrigin(
        transaction,
        origin,
      )(async (tx) => {
        const done = await work(tx)
        if (options.isDryRun) throw new Undone(done)
        return done
      }),
    )
    if (!(result instanceof Refusal)) return result
    report.skipped += 1
    const line = { realm_id: realm.id, provider: directory.id, user_id: user.id, reason: result.message }
    log.warn(line, 'An account could not be updated from a directory')
    return null
  } catch (error) {
    if (error instanceof Undone) return error.result as Result
    throw error
  }
}

/** Gives the account the data of its entry, and reactivates it if the operator wants that. */
async function update(sync: Sync, entry: DirectoryEntry, user: User): Promise<void> {
  const { services, realm, directory, options, report } = sync
  if (user.deactivatedAt !== null) {
    if (!directory.reactivates || !(await wasDeactivatedHere(services.db, user))) return
    const isReactivated = await change(sync, user, async (tx) => {
      await lockRealm(tx, realm.id)
      if (user.role !== Role.guest && !(await hasLicenses(tx.db, realm, 1))) throw noLicensesLeft()
      await reactivateUser(tx, realm, user)
      return true
    })
    if (isReactivated !== true) return
    report.reactivated += 1
  }
  const picture = entry.picture === null ? null : directoryAvatarName(services.secret, user, entry.picture)
  const isNewPicture =
    picture !== null &&
    picture !== user.avatarFile &&
    entry.picture !== null &&
    (options.isDryRun || (await saveDirectoryAvatar(services, picture, entry.picture)))
  // Groups and roles may give access, so a name or value that is refused must not keep them from changing.
  const changes = [
    await change(sync, user, (tx) => changeGroups(tx, sync, entry, user)),
    await change(sync, user, (tx) => changeData(tx, realm, entry, user, isNewPicture ? picture : null)),
  ]
  if (changes.includes(true)) report.updated += 1
}

async function changeGroups(tx: Transaction, { realm, directory }: Sync, entry: DirectoryEntry, user: User) {
  if (!(await lockActiveUser(tx, user.id))) return false
  return (await applyMappings(tx, realm, directory, user, entry)).isChanged
}

/** Returns whether something changed. */
async function changeData(
  tx: Transaction,
  realm: Realm,
  entry: DirectoryEntry,
  { id }: User,
  picture: string | null,
): Promise<boolean> {
  const user = (await lockActiveUser(tx, id)) ? await findUser(tx.db, id) : null
  if (user === null) return false
  const fullName = entry.name.trim() === '' ? user.fullName : toFullName(entry, user.deliveryEmail)
  const isRenamed = fullName !== user.fullName
  if (isRenamed) await changeFullName(tx, realm, user, fullName)
  if (picture !== null) await changeAvatar(tx, realm, { ...user, fullName }, picture)
  return (await changeProfileByDirectory(tx, realm, user, entry.profile)) || isRenamed || picture !== null
}

/** Deactivates the account unless a directory still has an enabled entry for it, or it is the last owner. */
async function leave(sync: Sync, connection: Connection, user: User): Promise<void> {
  const { realm, report } = sync
  if (await mayStay(sync, connection, user)) return
  const isDeactivated = await change(sync, user, async (tx) => {
    const current = (await lockActiveUser(tx, user.id)) ? await findUser(tx.db, user.id) : null
    if (current === null) return false
    if (current.role === Role.owner && (await countActiveOwners(tx, realm.id)) === 1) throw lastOwner()
    await deactivateUser(tx, realm, current)
    return true
  })
  if (isDeactivated === true) report.deactivated += 1
}

/**
 * Returns whether a directory of the organization has an enabled entry for the account. Another directory that fails may
 * have one, which is counted and logged.
 */
async function mayStay(
  { services: { db, log }, realm, directory, options, report }: Sync,
  connection: Connection,
  user: User,
): Promise<boolean> {
  const others = findDirectories(db, realm).filter(({ id }) => id !== directory.id)
  for (const row of await findProvidersUsedBy(db, user.id)) {
    const from = [directory, ...others].find((one) => isOfProvider(row, one))
    if (from === undefined) continue
    const find = (opened: Connection) => findEntry(opened, from, { subject: row.subject })
    const entry = await (from === directory ? find(connection) : withDirectory(from, find, options.signal))
    if (isDirectoryProblem(entry)) {
      report.skipped += 1
      const line = { realm_id: realm.id, provider: from.id, user_id: user.id, ...entry }
      log.warn(line, 'An account was not deactivated, because another of its directories could not be read')
      return true
    }
    if (entry !== null && !entry.isDisabled) return true
  }
  return false
}

const lastOwner = refusal('BAD_REQUEST', 400, 'The account is the only owner of the organization.')

/** Returns whether the account was deactivated by a directory of this kind, and by nobody since. */
async function wasDeactivatedHere(db: Db, { id, realmId }: User): Promise<boolean> {
  const row = await db
    .selectFrom('auditEntries')
    .select(['origin', 'client'])
    .where('realmId', '=', realmId)
    .where('kind', '=', 'account_deactivated')
    .where('targetId', '=', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.origin === ORIGIN.by && row.client === ORIGIN.client
}

/** Completes the account of a person who has just joined: picture and profile fields. */
export async function completeFromEntry(
  services: SyncServices,
  realm: Realm,
  directory: Directory,
  entry: DirectoryEntry,
  user: User,
): Promise<void> {
  const options = { isDryRun: false, isForced: false }
  const report = { connected: 1, found: 1, updated: 0, deactivated: 0, reactivated: 0, skipped: 0, refused: 0 }
  await update({ services, realm, directory, options, report }, entry, user)
}

/** Seconds after the start until directories are read for the first time. */
const FIRST_SYNC = 600

type JobParts = SyncServices &
  Pick<PeriodicTaskOptions, 'clock' | 'isResponsible'> & { storage: Pick<Storage, 'onBecomeLeader'> }

/** Opens the job that updates accounts from the directories; null if none is declared. */
export function openDirectorySyncJob({ clock, isResponsible, storage, ...services }: JobParts): Job | null {
  const { settings, log, db } = services
  const intervals = settings.SIGN_IN_FILE.ldap.filter(({ sync_minutes }) => sync_minutes > 0)
  if (intervals.length === 0) return null
  const plan = intervals.map(({ id, sync_minutes }) => {
    const interval = sync_minutes * 60
    return { id, interval, dueAt: clock.now() + Math.min(interval, FIRST_SYNC) }
  })
  const stopping = new AbortController()
  const job = openDueJob({
    clock,
    isResponsible,
    log,
    findNext: async () => plan.reduce((first, one) => (one.dueAt < first.dueAt ? one : first)),
    async handle(due) {
      due.dueAt = clock.now() + due.interval
      for (const { id } of await findRealms(db)) await syncRealm(services, id, due.id, stopping.signal)
    },
    failureMessage: 'Failed to update accounts from a directory',
  })
  storage.onBecomeLeader(job.wake)
  return {
    ...job,
    close() {
      stopping.abort()
      return job.close()
    },
  }
}

async function syncRealm(
  services: SyncServices,
  realmId: number,
  directoryId: string,
  signal: AbortSignal,
): Promise<void> {
  const { db, log } = services
  if (signal.aborted) return
  const realm = await findRealm(db, realmId)
  if (realm === null || realm.deactivatedAt !== null) return
  const { isDirectoryEnabled } = await findSignInMethods(db, realm)
  const directory = findDirectories(db, realm).find(({ id }) => id === directoryId)
  if (!isDirectoryEnabled || directory === undefined) return
  const report = await syncDirectory(services, realm, directory, { isDryRun: false, isForced: false, signal })
  const line = { realm_id: realm.id, provider: directoryId, ...report }
  if (isDirectoryProblem(report)) log.warn(line, 'A directory could not be read')
  else log.info(line, 'Accounts were updated from a directory')
}
