import type { Realm } from '../realms/realm.ts'
import type { Transaction } from '../storage/storage.ts'
import { findDefaultSettings } from '../users/default-settings.ts'
import { requireFreeAddress } from '../users/free-address.ts'
import { requireFullName } from '../users/full-name.ts'
import { type NewUser, saveUser } from '../users/queries.ts'
import { requireUniqueName } from '../users/unique-name.ts'
import type { User } from '../users/user.ts'
import { introduce } from './introduce.ts'

export type NewPerson = Omit<NewUser, 'realmId' | 'botType' | 'botOwnerId'>

/** Makes somebody's account, with the organization's default settings, subscribed to the default channels; refused when the address or the name may not be theirs. */
export async function createUser(tx: Transaction, realm: Realm, person: NewPerson): Promise<User> {
  const fullName = requireFullName(person.fullName)
  await requireUniqueName(tx, realm, fullName)
  const deliveryEmail = await requireFreeAddress(tx, realm, person.deliveryEmail)
  const settings = await findDefaultSettings(tx.db, realm.id)
  const user = await saveUser(tx, { settings, ...person, realmId: realm.id, fullName, deliveryEmail })
  await introduce(tx, realm, user)
  return user
}
