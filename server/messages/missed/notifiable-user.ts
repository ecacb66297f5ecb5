import { findRealm } from '../../organizations/realms/queries.ts'
import { findUser } from '../../people/users/queries.ts'
import { type Actor, isBot, type User } from '../../people/users/user.ts'
import type { Db } from '../../platform/storage/storage.ts'

/** Somebody who may be told of what they missed; null for whoever cannot sign in, and for bots. */
export async function findNotifiableActor(db: Db, userId: number): Promise<Actor | null> {
  const user = await findUser(db, userId)
  if (user === null || user.deactivatedAt !== null || isBot(user)) return null
  const realm = await findRealm(db, user.realmId)
  return realm === null || realm.deactivatedAt !== null ? null : { ...user, realm }
}

/** Whether somebody has an account with the same address at another organization here. */
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
