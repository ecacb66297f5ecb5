import { saveUserFields } from '#people/users/queries.ts'
import type { User } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitAvatarChange } from './emit-user-events.ts'

/** Gives the account the uploaded avatar `file`, or its gravatar if `file` is null. Returns the changed account. */
export async function changeAvatar(tx: Transaction, realm: Realm, user: User, file: string | null): Promise<User> {
  const changed = { avatarFile: file, avatarVersion: user.avatarVersion + 1 }
  await saveUserFields(tx, user.id, changed)
  const account = { ...user, ...changed }
  await emitAvatarChange(tx, realm, account)
  return account
}
