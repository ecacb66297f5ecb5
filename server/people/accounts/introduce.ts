import type { Realm } from '../../organizations/realms/realm.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import type { User } from '../users/user.ts'
import { tellOfGroupsChange } from './group-effects.ts'
import { tellOfNewUser } from './tell-of-user.ts'

/** Tells everybody of an account that was saved just now, and of the groups that it is in. */
export async function introduce(tx: Transaction, realm: Realm, user: User): Promise<void> {
  await tellOfNewUser(tx, realm, user)
  await tellOfGroupsChange(tx, realm, null, user)
}
