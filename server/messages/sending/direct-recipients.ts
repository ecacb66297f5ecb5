import { type Viewer, viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { findUserByApiEmail } from '#people/users/addresses/api-email-queries.ts'
import { isSystemBotAddress } from '#people/users/bots/system-bots.ts'
import { findUser } from '#people/users/queries.ts'
import { type Actor, isVisible, type User } from '#people/users/user.ts'
import { findRealmBySubdomain } from '#realms/queries.ts'
import { SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'

export const noRecipients = refusal('BAD_REQUEST', 400, 'Message must have recipients', { field: 'to' })
export const invalidEmail = refusal('BAD_REQUEST', 400, "Invalid email '{email}'", { field: 'to' })
export const invalidUserId = refusal('BAD_REQUEST', 400, 'Invalid user ID {id}', { field: 'to' })

/**
 * Returns the named users without duplicates, including deactivated users. Only system bots may belong to another
 * organization.
 */
export async function requireDirectRecipients(
  viewer: Viewer,
  target: readonly number[] | readonly string[],
): Promise<User[]> {
  const { db, actor, now } = viewer
  if (target.length === 0) throw noRecipients()
  const people = new Map<number, User>()
  for (const key of new Set<number | string>(target)) {
    const person =
      typeof key === 'number' ? await requireUserById(db, actor, key) : await requireUserByEmail(db, actor, key, now)
    people.set(person.id, person)
  }
  return [...people.values()]
}

async function requireUserById(db: Db, actor: Actor, id: number): Promise<User> {
  const user = await findUser(db, Number.isSafeInteger(id) ? id : 0)
  if (user === null || (user.realmId !== actor.realmId && !isSystemBotAddress(user.deliveryEmail)))
    throw invalidUserId({ id })
  return user
}

async function requireUserByEmail(db: Db, actor: Actor, email: string, now: number): Promise<User> {
  const realm = isSystemBotAddress(email) ? await findRealmBySubdomain(db, SYSTEM_SUBDOMAIN) : actor.realm
  const visibleIds = await viewerOf(db, actor, now).visibleIds()
  const isVisibleUser = (user: User) => isVisible(visibleIds, user)
  const user = realm === null ? null : await findUserByApiEmail(db, realm, email, isVisibleUser)
  if (user === null) throw invalidEmail({ email })
  return user
}
