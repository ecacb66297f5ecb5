import type { Viewer } from '#groups/viewer.ts'
import { trimWhitespace } from '#lib/encoding/trim-whitespace.ts'
import { insufficientPermission, noSuchUser, userDeactivated } from '#people/users/access.ts'
import { findUsersByApiEmail } from '#people/users/addresses/api-email-queries.ts'
import { findUsersById } from '#people/users/queries.ts'
import { type Actor, isVisible, type User } from '#people/users/user.ts'
import type { Db } from '#storage/storage.ts'

/** The users whose subscriptions a request changes, by id or by API email address. */
export type Principals = readonly number[] | readonly string[]

/**
 * Returns the users whose subscriptions a request changes, each once. If the request names no users, it is the actor.
 */
export async function requirePrincipals(viewer: Viewer, principals: Principals | undefined): Promise<User[]> {
  const { db, actor } = viewer
  if (principals === undefined || principals.length === 0) return [actor]
  const visibleIds = await viewer.visibleIds()
  const users = await requireAll(db, actor, principals, visibleIds)
  for (const user of users) {
    if (!isVisible(visibleIds, user)) throw insufficientPermission()
    if (user.deactivatedAt !== null) throw userDeactivated()
  }
  return users
}

/** Returns the users in the order of the request. Refuses if one of them is unknown. */
async function requireAll(
  db: Db,
  actor: Actor,
  principals: Principals,
  visibleIds: ReadonlySet<number> | null,
): Promise<User[]> {
  const isKnown = (user: User) => isVisible(visibleIds, user)
  const found = await (isIds(principals)
    ? findByIds(db, actor, principals)
    : findUsersByApiEmail(db, actor.realm, principals.map(toKey), isKnown))
  const users = new Map<number, User>()
  for (const principal of principals) {
    const user = found.get(typeof principal === 'string' ? toKey(principal) : principal)
    if (user === undefined) throw noSuchUser()
    users.set(user.id, user)
  }
  return [...users.values()]
}

const isIds = (principals: Principals): principals is readonly number[] => typeof principals[0] === 'number'

const toKey = (email: string) => trimWhitespace(email).toLowerCase()

async function findByIds(db: Db, actor: Actor, ids: readonly number[]): Promise<Map<number | string, User>> {
  const users = await findUsersById(db, ids)
  return new Map(users.filter((user) => user.realmId === actor.realmId).map((user) => [user.id, user]))
}
