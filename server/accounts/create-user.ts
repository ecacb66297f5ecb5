import { findChannelsById, findDefaultChannelIds } from '../channels/queries.ts'
import type { Realm } from '../realms/realm.ts'
import type { Transaction } from '../storage/storage.ts'
import { subscribeUsers } from '../subscriptions/subscribe-users.ts'
import { requireFreeAddress } from '../users/free-address.ts'
import { requireFullName } from '../users/full-name.ts'
import { type NewUser, saveUser } from '../users/queries.ts'
import { requireUniqueName } from '../users/unique-name.ts'
import { isBot, type User } from '../users/user.ts'
import { tellOfGroupsChange } from './group-effects.ts'
import { tellOfNewUser } from './tell-of-user.ts'

export type NewPerson = Omit<NewUser, 'realmId' | 'botType' | 'botOwnerId'>

/** Makes somebody's account, subscribed to the default channels; refused when the address or the name may not be theirs. */
export async function createUser(tx: Transaction, realm: Realm, person: NewPerson): Promise<User> {
  const fullName = requireFullName(person.fullName)
  await requireUniqueName(tx.db, realm, fullName)
  const deliveryEmail = await requireFreeAddress(tx, realm, person.deliveryEmail)
  return addAccount(tx, realm, { ...person, realmId: realm.id, fullName, deliveryEmail })
}

/** Saves an account that nothing is left to refuse of, and tells everybody. */
export async function addAccount(tx: Transaction, realm: Realm, account: NewUser): Promise<User> {
  const user = await saveUser(tx, account)
  await tellOfNewUser(tx, realm, user)
  await tellOfGroupsChange(tx, realm, null, user)
  if (isBot(user)) return user
  const ids = await findDefaultChannelIds(tx.db, realm.id)
  const channels = await findChannelsById(tx.db, realm.id, [...ids])
  const current = channels.filter((channel) => channel.archivedAt === null)
  if (current.length > 0) await subscribeUsers(tx, realm, [user], current)
  return user
}
