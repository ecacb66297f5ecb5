import { findUser } from '#people/users/queries.ts'
import { type Actor, isBot, type User } from '#people/users/user.ts'
import { findRealm } from '#realms/queries.ts'
import type { Db } from '#storage/storage.ts'

/** Returns the user if they can receive notifications. Returns null for bots, and for users who cannot log in. */
export async function findNotifiableActor(db: Db, userId: number): Promise<Actor | null> {
  const user = await findUser(db, userId)
  if (user === null || user.deactivatedAt !== null || isBot(user)) return null
  const realm = await findRealm(db, user.realmId)
  return realm === null || realm.deactivatedAt !== null ? null : { ...user, realm }
}

/** Returns true if the same email address has an active account in another organization of this server. */
export async function hasAccountInOtherRealm(db: Db, { realmId, deliveryEmail }: User): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('emailKey', '=', deliveryEmail.toLowerCase())
    .where('realmId', '!=', realmId)
    .where('deactivatedAt', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
