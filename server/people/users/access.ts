import { refusal } from '../../platform/errors/refusal.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { findUser, findUserByDeliveryEmail } from './queries.ts'
import { isAdministrator, isOwner } from './role.ts'
import { type Actor, isBot, isVisible, maySeeAddress, placeholderEmail, type User } from './user.ts'

export const noSuchUser = refusal('BAD_REQUEST', 400, 'No such user')
export const noSuchBot = refusal('BAD_REQUEST', 400, 'No such bot')
export const userDeactivated = refusal('BAD_REQUEST', 400, 'User is deactivated')
export const insufficientPermission = refusal('BAD_REQUEST', 400, 'Insufficient permission')
export const mustBeOwner = refusal('UNAUTHORIZED_PRINCIPAL', 400, 'Must be an organization owner')
export const mustBeAdministrator = refusal('UNAUTHORIZED_PRINCIPAL', 400, 'Must be an organization administrator')

/** Returns the account if it belongs to the actor's organization. Deactivated accounts are returned too. */
export async function requireUser(db: Db, actor: Actor, id: number): Promise<User> {
  const user = await findUser(db, id)
  if (user === null || user.realmId !== actor.realmId) throw noSuchUser()
  return user
}

/**
 * Refuses unless the actor may change the account: administrators may change every account, other users only their own
 * bots. Only owners may change a bot that is an owner or belongs to one, because the bot's API key has the same
 * permissions.
 */
export async function requireMayManage(db: Db, actor: Actor, user: User): Promise<void> {
  if (user.botOwnerId === actor.id) return
  if (!isAdministrator(actor)) throw insufficientPermission()
  if (!isBot(user) || isOwner(actor)) return
  const owner = user.botOwnerId === null ? null : await findUser(db, user.botOwnerId)
  if (isOwner(user) || (owner !== null && isOwner(owner))) throw mustBeOwner()
}

/** Returns the bot if the actor may change it. Deactivated bots are returned too. */
export async function requireManageableBot(db: Db, actor: Actor, id: number): Promise<User> {
  const bot = await findUser(db, id)
  if (bot === null || bot.realmId !== actor.realmId || !isBot(bot)) throw noSuchBot()
  await requireMayManage(db, actor, bot)
  return bot
}

export function requireOwner(actor: Actor): void {
  if (!isOwner(actor)) throw mustBeOwner()
}

export function requireAdministrator(actor: Actor): void {
  if (!isAdministrator(actor)) throw mustBeAdministrator()
}

const PLACEHOLDER = /^user([1-9]\d{0,14})@/i

/**
 * Returns the account with this email address in the actor's organization. A real address only matches an account that
 * the actor may see, address included; the placeholder address matches every account. `visibleIds` are the ids of the
 * users that the actor may see, or null for all.
 */
export async function requireUserByEmail(
  db: Db,
  actor: Actor,
  email: string,
  visibleIds: ReadonlySet<number> | null,
): Promise<User> {
  const known = await findUserByDeliveryEmail(db, actor.realmId, email)
  if (known !== null && isVisible(visibleIds, known) && maySeeAddress(actor, known)) return known
  const id = Number(PLACEHOLDER.exec(email)?.[1] ?? 0)
  if (email.toLowerCase() !== placeholderEmail(id, actor.realm, db.settings.EXTERNAL_URL)) throw noSuchUser()
  return requireUser(db, actor, id)
}
