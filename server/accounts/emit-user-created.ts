import type { User } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitMembershipChange } from './emit-membership-change.ts'
import { emitUserAdded } from './emit-user-events.ts'

/** Emits a new account and its groups to everyone in the organization. */
export async function emitUserCreated(tx: Transaction, realm: Realm, user: User): Promise<void> {
  await emitUserAdded(tx, realm, user)
  await emitMembershipChange(tx, realm, null, user)
}
