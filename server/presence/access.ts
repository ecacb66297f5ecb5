import { findVisibleUserIds } from '../groups/visible-users.ts'
import { insufficientPermission, noSuchUser } from '../people/users/access.ts'
import { findUserByApiEmail } from '../people/users/addresses/api-email-queries.ts'
import { findUser } from '../people/users/queries.ts'
import { isGuest } from '../people/users/role.ts'
import { type Actor, isBot, isVisible, type User } from '../people/users/user.ts'
import { refusal } from '../platform/errors/refusal.ts'
import type { Db } from '../platform/storage/storage.ts'
import type { PresenceFormat } from './entry.ts'

export const notForBotUsers = refusal('BAD_REQUEST', 400, 'Presence is not supported for bot users.')

/** Those whose presence the actor may see; null for all of the organization, which it is for everybody but some guests. */
export function findPresenceVisibleIds(db: Db, actor: Actor, now: number): Promise<ReadonlySet<number> | null> | null {
  return db.settings.CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE ? findVisibleUserIds(db, actor, now) : null
}

/** Those whose address the actor may know where presences tell it; null for everybody, and where they do not tell it. */
export function findAddressVisibleIds(
  db: Db,
  actor: Actor,
  shape: PresenceFormat,
  now: number,
): Promise<ReadonlySet<number> | null> | null {
  return shape === 'legacy' && isGuest(actor) ? findVisibleUserIds(db, actor, now) : null
}

/** Somebody whose presence the actor may see if there is any: by id, written in digits, or by API e-mail address. */
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
  const visibleIds = await findVisibleUserIds(db, actor, now)
  return findUserByApiEmail(db, actor.realm, email, (user) => isVisible(visibleIds, user))
}
