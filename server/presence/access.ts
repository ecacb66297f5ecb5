import { viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { insufficientPermission, noSuchUser } from '#people/users/access.ts'
import { findUserByApiEmail } from '#people/users/addresses/api-email-queries.ts'
import { findUser } from '#people/users/queries.ts'
import { type Actor, isBot, isVisible, type User } from '#people/users/user.ts'
import { isGuest } from '#rules/role.ts'
import type { Db } from '#storage/storage.ts'
import type { PresenceFormat } from './entry.ts'

export const notForBotUsers = refusal('BAD_REQUEST', 400, 'Presence is not supported for bot users.')

/**
 * Returns the ids of the users whose presence the actor may see; null if the actor may see the presence of everyone in
 * the organization. Only some guests are limited.
 */
export function findPresenceVisibleIds(db: Db, actor: Actor, now: number): Promise<ReadonlySet<number> | null> | null {
  return db.settings.CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE ? viewerOf(db, actor, now).visibleIds() : null
}

/**
 * Returns the ids of the users whose email address the actor may see in presences. Returns null if the actor may see
 * all addresses, or if presences in this format contain no addresses.
 */
export function findAddressVisibleIds(
  db: Db,
  actor: Actor,
  format: PresenceFormat,
  now: number,
): Promise<ReadonlySet<number> | null> | null {
  return format === 'legacy' && isGuest(actor) ? viewerOf(db, actor, now).visibleIds() : null
}

/**
 * Returns the user with this id (in digits) or API email address, if the actor may see their presence. The user need
 * not have reported one.
 */
export async function requireUserForPresence(db: Db, actor: Actor, idOrEmail: string, now: number): Promise<User> {
  const user = /^\d+$/.test(idOrEmail)
    ? await findUser(db, Math.min(Number(idOrEmail), Number.MAX_SAFE_INTEGER))
    : await findVisibleUserByEmail(db, actor, idOrEmail, now)
  if (user === null || user.realmId !== actor.realmId || user.deactivatedAt !== null) throw noSuchUser()
  if (isBot(user)) throw notForBotUsers()
  const visibleIds = await findPresenceVisibleIds(db, actor, now)
  if (visibleIds !== null && !visibleIds.has(user.id)) throw insufficientPermission()
  return user
}

async function findVisibleUserByEmail(db: Db, actor: Actor, email: string, now: number): Promise<User | null> {
  const visibleIds = await viewerOf(db, actor, now).visibleIds()
  return findUserByApiEmail(db, actor.realm, email, (user) => isVisible(visibleIds, user))
}
