import type { Settings } from '#config.ts'
import { type Refusal, refusal } from '#lib/errors.ts'
import { isAdministrator, isGuest, isOwner, Role } from '#rules/role.ts'
import type { Db } from '#storage/storage.ts'
import { findUser, findUserByDeliveryEmail, findUsersByDeliveryEmail, findUsersById } from './user-queries.ts'
import { AddressVisibility } from './user-settings.ts'
import { type Actor, apiEmail, isBot, isVisible, placeholderEmail, type User } from './users.ts'

// Access to accounts: each function returns the account, or refuses. A hidden account and a missing one are refused
// by the same line. Bots are managed by their owner and by administrators; only owners manage owners. The rule about who
// may see the real address of an account is here, too.

export const noSuchUser = refusal('BAD_REQUEST', 400, 'No such user')
export const noSuchBot = refusal('BAD_REQUEST', 400, 'No such bot')
export const userDeactivated = refusal('BAD_REQUEST', 400, 'User is deactivated')
export const insufficientPermission = refusal('BAD_REQUEST', 400, 'Insufficient permission')
export const mustBeOwner = refusal('UNAUTHORIZED_PRINCIPAL', 400, 'Must be an organization owner')
export const mustBeAdministrator = refusal('UNAUTHORIZED_PRINCIPAL', 400, 'Must be an organization administrator')
export const avatarChangesDisabled = refusal('BAD_REQUEST', 400, 'Avatar changes are disabled in this organization.')
export const nameChangesDisabled = refusal('BAD_REQUEST', 400, 'Name changes are disabled in this organization.', {
  field: 'full_name',
})
export const emailChangesDisabled = refusal(
  'BAD_REQUEST',
  400,
  'Email address changes are disabled in this organization.',
  {
    field: 'email',
  },
)

/** Returns whether the actor may manage the ways to sign in. */
export const mayManageSignIn = (actor: Pick<User, 'role'>): boolean => isOwner(actor)

/**
 * Returns whether an administrator may see facts about the whole server. Where everyone can create organizations, only
 * owners of the root organization may, because the operator chooses them with more care.
 */
export function maySeeServer(actor: Actor, { OPEN_REALM_CREATION, DEMO_ORGANIZATIONS }: Settings): boolean {
  if (actor.realm.subdomain !== '') return false
  return isOwner(actor) || !(OPEN_REALM_CREATION || DEMO_ORGANIZATIONS)
}

/** Returns the account if it belongs to the actor's organization, even if it is deactivated. */
export async function requireUser(db: Db, actor: Actor, id: number): Promise<User> {
  const user = await findUser(db, id)
  if (user === null || user.realmId !== actor.realmId) throw noSuchUser()
  return user
}

/**
 * Refuses unless the actor may change the account. Administrators may change every account, other users only their own
 * bots. If a bot is an owner or belongs to one, only owners may change it, because the bot's API key may have an
 * owner's permissions.
 */
export async function requireMayManage(db: Db, actor: Actor, user: User): Promise<void> {
  const refused = await findManagementRefusal(db, actor, user)
  if (refused !== null) throw refused
}

/** Returns the refusal of a change of the account; null if the actor may change it. */
async function findManagementRefusal(db: Db, actor: Actor, user: User): Promise<Refusal | null> {
  if (user.botOwnerId === actor.id) return null
  if (!isAdministrator(actor)) return insufficientPermission()
  if (!isBot(user) || isOwner(actor)) return null
  const owner = user.botOwnerId === null ? null : await findUser(db, user.botOwnerId)
  return isOwner(user) || (owner !== null && isOwner(owner)) ? mustBeOwner() : null
}

async function requireBot(db: Db, actor: Actor, id: number): Promise<User> {
  const bot = await findUser(db, id)
  if (bot === null || bot.realmId !== actor.realmId || !isBot(bot)) throw noSuchBot()
  return bot
}

/** Returns the bot if the actor may change it, even if it is deactivated. */
export async function requireManageableBot(db: Db, actor: Actor, id: number): Promise<User> {
  const bot = await requireBot(db, actor, id)
  await requireMayManage(db, actor, bot)
  return bot
}

/** Like `requireManageableBot`, but refuses a bot that the actor may not change like a missing one. */
export async function requireOwnBot(db: Db, actor: Actor, id: number): Promise<User> {
  const bot = await requireBot(db, actor, id)
  if ((await findManagementRefusal(db, actor, bot)) !== null) throw noSuchBot()
  return bot
}

export function requireOwner(actor: Actor): void {
  if (!isOwner(actor)) throw mustBeOwner()
}

export function requireAdministrator(actor: Actor): void {
  if (!isAdministrator(actor)) throw mustBeAdministrator()
}

/** Refuses if the account is an owner's and the actor is not an owner. */
export function requireOwnerForOwner(actor: Actor, user: User): void {
  if (isOwner(user) && !isOwner(actor)) throw mustBeOwner()
}

/** Returns whether the user is the bot's owner or an administrator. */
export function isBotManager(user: { id: number; role: number }, bot: Pick<User, 'botOwnerId'>): boolean {
  return isAdministrator(user) || bot.botOwnerId === user.id
}

/** Returns whether the actor may manage the bots of others. */
export const mayManageBotsOfOthers = (actor: Actor): boolean => isAdministrator(actor)

/** Returns whether daily limits apply to the account. They apply to everyone except administrators. */
export const hasDailyLimits = (actor: Actor): boolean => !isAdministrator(actor)

/** Refuses if the organization lets only administrators change their avatar, and the actor is not one. */
export function requireMayChangeAvatar(actor: Actor): void {
  if (actor.realm.settings.avatar_changes_disabled && !isAdministrator(actor)) throw avatarChangesDisabled()
}

/** Refuses if the organization lets only administrators change their name, and the actor is not one. */
export function requireMayChangeOwnName(actor: Actor): void {
  if (actor.realm.settings.name_changes_disabled && !isAdministrator(actor)) throw nameChangesDisabled()
}

/** Refuses if the organization lets only administrators change their email address, and the actor is not one. */
export function requireMayChangeOwnEmail(actor: Actor): void {
  if (actor.realm.settings.email_changes_disabled && !isAdministrator(actor)) throw emailChangesDisabled()
}

/** Returns whether `viewer` may see when, how and from where `user` signs in. Only owners see that of owners. */
export const maySeeSignInsOf = (viewer: { role: number }, user: { role: number }): boolean =>
  isOwner(viewer) || !isOwner(user)

/** Returns whether `viewer` may see the real address of `user`. */
export function maySeeAddress(
  viewer: { id: number; role: number },
  user: { id: number; settings: Pick<User['settings'], 'email_address_visibility'> },
): boolean {
  if (viewer.id === user.id) return true
  switch (user.settings.email_address_visibility) {
    case AddressVisibility.everyone:
      return true
    case AddressVisibility.members:
      return !isGuest(viewer)
    case AddressVisibility.moderators:
      return viewer.role <= Role.moderator
    case AddressVisibility.administrators:
      return isAdministrator(viewer)
    default:
      return false
  }
}

/** Returns a role that stands for everyone to whom `maySeeAddress` shows the same addresses of others. */
export const addressRoleOf = (viewer: Pick<User, 'role'>): Role =>
  isAdministrator(viewer) ? Role.administrator : viewer.role

/** Matches placeholder addresses; see `placeholderEmail`. */
const PLACEHOLDER = /^user([1-9]\d{0,14})@/i

/**
 * Returns the account with this email address in the actor's organization. A real address is found only if the actor
 * may see both the account and the address. A placeholder address is always found. `visibleIds` contains the ids of the
 * users whom the actor may see; null means all users.
 */
export async function requireUserByEmail(
  db: Db,
  actor: Actor,
  email: string,
  visibleIds: ReadonlySet<number> | null,
): Promise<User> {
  const user = await findUserByDeliveryEmail(db, actor.realmId, email)
  if (user !== null && isVisible(visibleIds, user) && maySeeAddress(actor, user)) return user
  const id = Number(PLACEHOLDER.exec(email)?.[1] ?? 0)
  if (email.toLowerCase() !== placeholderEmail(id, actor.realm, db.settings.EXTERNAL_URL)) throw noSuchUser()
  return requireUser(db, actor, id)
}

const everybody = () => true

/** Returns the account with this API email address. It follows the rules of `findUsersByApiEmail`. */
export async function findUserByApiEmail(
  db: Db,
  realm: { id: number; subdomain: string },
  email: string,
  isKnown?: (user: User) => boolean,
): Promise<User | null> {
  return (await findUsersByApiEmail(db, realm, [email], isKnown)).get(email.toLowerCase()) ?? null
}

/**
 * Returns the organization's accounts with these API email addresses, by address in lower case. Case is ignored, and
 * any number of addresses takes two queries. A hidden real address matches nothing. Users for whom `isKnown` returns
 * false match only by their placeholder address. A real address then does not reveal whether it has an account.
 */
export async function findUsersByApiEmail(
  db: Db,
  realm: { id: number; subdomain: string },
  emails: readonly string[],
  isKnown: (user: User) => boolean = everybody,
): Promise<Map<string, User>> {
  const { EXTERNAL_URL } = db.settings
  const ids = emails.flatMap((email) => PLACEHOLDER.exec(email)?.[1] ?? []).map(Number)
  const users = [...(await findUsersByDeliveryEmail(db, realm.id, emails)), ...(await findUsersById(db, ids))]
  const byEmail = new Map<string, User>()
  for (const user of users) {
    if (user.realmId !== realm.id) continue
    const email = isKnown(user) ? apiEmail(user, realm, EXTERNAL_URL) : placeholderEmail(user.id, realm, EXTERNAL_URL)
    byEmail.set(email.toLowerCase(), user)
  }
  return byEmail
}
