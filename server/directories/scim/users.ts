import { requireMayDeactivate } from '#accounts/access.ts'
import { emailTaken, requestEmailChangeOf } from '#accounts/change-email.ts'
import { changeFullName, changeRole, createUser, deactivateUser, reactivateUser } from '#accounts/change-users.ts'
import { findPendingEmail } from '#accounts/email-change-requests.ts'
import { findRealmGroups } from '#groups/queries.ts'
import { hasLicenses, noLicensesLeft } from '#people/creation-limits.ts'
import { findErasedIds, findErasure } from '#people/erasures.ts'
import { findRealmUsers, findUser, findUserByDeliveryEmail, lockEmailAddresses } from '#people/user-queries.ts'
import { type Actor, isBot, type User } from '#people/users.ts'
import { Role } from '#rules/role.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { invalidValue, noSuchResource } from './errors.ts'
import { attributeOf, type Comparisons, type Filter, matchesFilter } from './filter.ts'
import { type DirectoryUser, findDirectoryUsers, saveDirectoryUser } from './queries.ts'
import { type Json, listPage, type Query, textOf } from './resources.ts'

// Accounts of people as SCIM users. Bots are not among them, nor accounts that the directory has deleted, which stay
// deactivated, nor erased accounts. A user name is the real address of the account. All changes are the operations that administrators use,
// with the rights of an owner: the last owner stays, and a new address counts once its holder has confirmed it.

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'

/** The attributes that directories can change. */
export const USER_ATTRIBUTES = ['userName', 'name', 'displayName', 'active', 'role', 'externalId'] as const

const ROLES = Object.entries(Role) as [string, Role][]

/**
 * The context of a request: the organization's owner in whose name it is handled, the address of SCIM, and the
 * comparisons so far.
 */
export type ScimContext = {
  readonly actor: Actor
  readonly url: string
  readonly db: Db
  readonly now: number
  readonly comparisons: Comparisons
}

export const groupKey = (id: number): string => `group-${id}`

/** Returns the accounts as SCIM shows them. */
async function toUsersJson(context: ScimContext, users: readonly User[]): Promise<Json[]> {
  const { actor, url, db } = context
  const { byId } = await findRealmGroups(db, actor.realmId)
  const groups = [...byId.values()].filter(
    ({ systemName, deactivatedAt }) => systemName === null && deactivatedAt === null,
  )
  const known = await findDirectoryUsers(db, actor.realmId, users.length === 1 ? (users[0] as User).id : null)
  return users.map((user) => {
    const [givenName = '', ...rest] = user.fullName.split(' ')
    const externalId = known.get(user.id)?.externalId ?? null
    return {
      schemas: [USER_SCHEMA],
      id: String(user.id),
      ...(externalId !== null && { externalId }),
      userName: user.deliveryEmail,
      name: { formatted: user.fullName, givenName, ...(rest.length > 0 && { familyName: rest.join(' ') }) },
      displayName: user.fullName,
      emails: [{ value: user.deliveryEmail, type: 'work', primary: true }],
      active: user.deactivatedAt === null,
      role: ROLES.find(([, role]) => role === user.role)?.[0],
      groups: groups
        .filter(({ memberIds }) => memberIds.has(user.id))
        .map(({ id, name }) => ({
          value: groupKey(id),
          $ref: `${url}/Groups/${groupKey(id)}`,
          display: name,
          type: 'direct',
        })),
      meta: {
        resourceType: 'User',
        created: new Date(user.joinedAt * 1000).toISOString(),
        location: `${url}/Users/${user.id}`,
      },
    }
  })
}

async function toUserJson(context: ScimContext, user: User): Promise<Json> {
  return (await toUsersJson(context, [user]))[0] as Json
}

/** Returns whether the directory has deleted the account, and nobody has reactivated it since. */
const isDeleted = ({ deactivatedAt }: User, { deletedAt }: DirectoryUser) =>
  deletedAt !== null && deactivatedAt !== null && deactivatedAt <= deletedAt

/** Returns the account with this id, or refuses: bots, erased accounts and those of other organizations are not there. */
export async function requireScimUser({ actor, db }: ScimContext, id: string): Promise<User> {
  const user = /^\d{1,15}$/.test(id) ? await findUser(db, Number(id)) : null
  if (user === null || user.realmId !== actor.realmId || isBot(user)) throw noSuchResource()
  const known = (await findDirectoryUsers(db, actor.realmId, user.id)).get(user.id)
  if (known !== undefined && isDeleted(user, known)) throw noSuchResource()
  if ((await findErasure(db, user.id)) !== null) throw noSuchResource()
  return user
}

export async function listUsers(context: ScimContext, query: Query): Promise<Json> {
  const { actor, db } = context
  const { filter } = query
  const email = filter === null ? null : exactUserName(filter)
  const found = email === null ? null : await findUserByDeliveryEmail(db, actor.realmId, email)
  const candidates = email === null ? await findRealmUsers(db, actor.realmId) : found === null ? [] : [found]
  const known = await findDirectoryUsers(db, actor.realmId)
  const erasedIds = await findErasedIds(db, actor.realmId)
  const users = candidates.filter((user) => {
    const row = known.get(user.id)
    return !isBot(user) && !erasedIds.has(user.id) && (row === undefined || !isDeleted(user, row))
  })
  if (filter === null) return listPage(users, query, (page) => toUsersJson(context, page))
  const shown = await toUsersJson(context, users)
  const matching = shown.filter((user) => matchesFilter(user, filter, context.comparisons))
  return listPage(matching, query, async (page) => [...page])
}

/** Returns the address that all matches of the filter have; null if the filter does not name one. */
function exactUserName(filter: Filter): string | null {
  if (filter.kind === 'and') return filter.parts.map(exactUserName).find((email) => email !== null) ?? null
  if (filter.kind !== 'compare' || filter.by !== 'eq' || typeof filter.value !== 'string') return null
  return filter.path.name.toLowerCase() === 'username' && filter.path.sub === null ? filter.value : null
}

export const getUser = async (context: ScimContext, id: string): Promise<Json> =>
  toUserJson(context, await requireScimUser(context, id))

/** The values of a request. Those that are undefined stay as they are. */
type GivenUser = {
  userName?: string | undefined
  active?: boolean | undefined
  role?: Role | undefined
  externalId?: string | null | undefined
}

function readUser(given: Json): GivenUser {
  const role = attributeOf(given, 'role')
  return {
    userName: readText(given, 'userName') ?? undefined,
    active: readActive(attributeOf(given, 'active')),
    role: role === undefined || role === null || role === '' ? undefined : requireRole(role),
    externalId: readText(given, 'externalId'),
  }
}

export function readText(given: Json, name: string): string | null | undefined {
  const value = attributeOf(given, name)
  if (value === undefined || value === null || typeof value === 'string') return value
  throw invalidValue({ attribute: name })
}

/** Some directories send `"True"` and `"False"`. */
function readActive(value: unknown): boolean | undefined {
  if (value === undefined || value === null || typeof value === 'boolean') return value ?? undefined
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  if (text !== 'true' && text !== 'false') throw invalidValue({ attribute: 'active' })
  return text === 'true'
}

function requireRole(value: unknown): Role {
  const found = ROLES.find(([name]) => name === String(value).toLowerCase())
  if (found === undefined) throw invalidValue({ attribute: 'role' })
  return found[1]
}

/**
 * Returns the full name that the values ask for; undefined to keep `current`. The same name has several forms, of which a
 * directory may change only one: the first that differs counts. `displayName` counts if the forms of `name` are missing
 * or, in a change of single attributes, the same.
 */
function readFullName(given: Json, current: string | null, isChange: boolean): string | undefined {
  const name = attributeOf(given, 'name')
  const [givenName = '', familyName = ''] = [textOf(name, 'givenName'), textOf(name, 'familyName')]
  const forms = [textOf(name, 'formatted') ?? '', `${givenName.trim()} ${familyName.trim()}`].map((form) => form.trim())
  const display = (textOf(given, 'displayName') ?? '').trim()
  const isNamed = forms.some((form) => form !== '')
  const candidates = isChange || !isNamed ? [...forms, display] : forms
  return candidates.find((form) => form !== '' && form !== current)
}

/**
 * Refuses if the account would need a license and the organization has none left. The number of accounts cannot change
 * until the transaction ends.
 */
async function requireLicense(tx: Transaction, { realm }: Actor, account: Occupant): Promise<void> {
  if (!needsLicense(account)) return
  await lockEmailAddresses(tx, realm.id)
  if (!(await hasLicenses(tx.db, realm, 1))) throw noLicensesLeft()
}

type Occupant = Pick<User, 'role' | 'deactivatedAt'>

const needsLicense = ({ role, deactivatedAt }: Occupant) => deactivatedAt === null && role !== Role.guest

/** Creates an account, or gives back one that the directory has deleted. Returns its id. */
export async function createScimUser(tx: Transaction, { actor }: ScimContext, given: Json): Promise<string> {
  const { userName, active = true, role = Role.member, externalId } = readUser(given)
  if (userName === undefined || userName.trim() === '') throw invalidValue({ attribute: 'userName' })
  // As on the reference server: an account that nobody can use would be announced to everyone.
  if (!active) throw invalidValue({ attribute: 'active' })
  await lockEmailAddresses(tx, actor.realmId)
  const existing = await findUserByDeliveryEmail(tx.db, actor.realmId, userName.trim())
  if (existing !== null) {
    const known = (await findDirectoryUsers(tx.db, actor.realmId, existing.id)).get(existing.id)
    if (known === undefined || !isDeleted(existing, known)) throw emailTaken()
    await saveDirectoryUser(tx, existing.id, { deletedAt: null, externalId: externalId ?? null })
    await changeScimUser(tx, actor, existing, { ...given, active: true }, { isChange: false })
    return String(existing.id)
  }
  // Only the user name is required in SCIM.
  const fullName = readFullName(given, null, false) ?? userName.trim().split('@', 1)[0] ?? ''
  await requireLicense(tx, actor, { role, deactivatedAt: null })
  const user = await createUser(tx, actor.realm, { deliveryEmail: userName, fullName, role })
  if (typeof externalId === 'string') await saveDirectoryUser(tx, user.id, { externalId })
  return String(user.id)
}

/**
 * Gives the account these values. `isChange` is true if a list of operations led to them, so that missing values were
 * removed.
 */
export async function changeScimUser(
  tx: Transaction,
  actor: Actor,
  user: User,
  given: Json,
  { isChange }: { isChange: boolean },
): Promise<void> {
  const { userName, active, role, externalId } = readUser(given)
  if (userName === undefined || userName.trim() === '') throw invalidValue({ attribute: 'userName' })
  const deactivatedAt = active === undefined ? user.deactivatedAt : active ? null : tx.now
  if (!needsLicense(user)) await requireLicense(tx, actor, { role: role ?? user.role, deactivatedAt })
  if (externalId !== undefined || isChange) await saveDirectoryUser(tx, user.id, { externalId: externalId ?? null })

  let current = user
  if (active === true && user.deactivatedAt !== null) {
    await reactivateUser(tx, actor.realm, user)
    current = { ...user, deactivatedAt: null }
  }
  const fullName = readFullName(given, current.fullName, isChange)
  if (fullName !== undefined) {
    await changeFullName(tx, actor.realm, current, fullName)
    current = { ...current, fullName }
  }
  if (role !== undefined && role !== current.role) {
    await changeRole(tx, actor, current, role)
    current = { ...current, role }
  }
  if (active === false && current.deactivatedAt === null) {
    await requireMayDeactivate(tx, actor, current)
    await deactivateUser(tx, actor.realm, current)
  } else await requestAddress(tx, actor, current, userName.trim())
}

/**
 * Asks the holder of a new address to confirm it. Does nothing if they were asked already, if only the case differs, or
 * if the account is deactivated.
 */
async function requestAddress(tx: Transaction, actor: Actor, user: User, email: string): Promise<void> {
  if (email.toLowerCase() === user.deliveryEmail.toLowerCase() || user.deactivatedAt !== null) return
  if ((await findPendingEmail(tx.db, user.id, tx.now))?.toLowerCase() === email.toLowerCase()) return
  await requestEmailChangeOf(tx, actor.realm, user, email, actor.id)
}

/** Deactivates the account, and hides it from the directory. */
export async function deleteScimUser(tx: Transaction, actor: Actor, user: User): Promise<void> {
  if (user.deactivatedAt === null) {
    await requireMayDeactivate(tx, actor, user)
    await deactivateUser(tx, actor.realm, user)
  }
  await saveDirectoryUser(tx, user.id, { deletedAt: tx.now })
}
