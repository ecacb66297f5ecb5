import { refusal } from '../base/refusal.ts'
import type { Realm } from '../realms/realm.ts'
import type { Transaction } from '../storage/storage.ts'
import { mustBeAdministrator, mustBeOwner } from '../users/access.ts'
import { isNameTaken } from '../users/bot-queries.ts'
import { requireFreeAddress } from '../users/free-address.ts'
import { requireFullName } from '../users/full-name.ts'
import { countActiveOwners, saveUserEmail, saveUserFields } from '../users/queries.ts'
import { isAdministrator, isOwner, Role } from '../users/role.ts'
import { requireUniqueName } from '../users/unique-name.ts'
import { type Actor, isBot, type User } from '../users/user.ts'
import { tellOfAddress } from './address-effects.ts'
import { tellOfChannelsChange } from './channel-effects.ts'
import { tellOfGroupsChange } from './group-effects.ts'
import { tellKeepers, tellOfChange } from './tell-of-user.ts'

export const lastOwnerRole = refusal(
  'BAD_REQUEST',
  400,
  'The owner permission cannot be removed from the only organization owner.',
)
export const botNameTaken = refusal('BAD_REQUEST', 400, 'Name is already in use.')

/** Gives the account another name; bots may not have anybody's. */
export async function changeFullName(tx: Transaction, realm: Realm, user: User, given: string): Promise<void> {
  const fullName = requireFullName(given)
  if (fullName === user.fullName) return
  if (!isBot(user)) await requireUniqueName(tx.db, realm, fullName, user.id)
  else if (await isNameTaken(tx.db, realm.id, fullName)) throw botNameTaken()
  await saveUserFields(tx, user.id, { fullName })
  await tellOfChange(tx, realm, user, { full_name: fullName })
  if (isBot(user)) await tellKeepers(tx, realm, user, { full_name: fullName })
}

/** Gives the account another role: administrators may, to and from owner only owners; one owner must remain. */
export async function changeRole(tx: Transaction, actor: Actor, user: User, role: Role): Promise<void> {
  if (user.role === role) return
  if (!isAdministrator(actor)) throw mustBeAdministrator()
  if ((user.role === Role.owner || role === Role.owner) && !isOwner(actor)) throw mustBeOwner()
  if (await isLastOwner(tx, user)) throw lastOwnerRole()
  await setRole(tx, actor.realm, user, role)
}

/** Gives the account another role, whoever asks. */
export async function setRole(tx: Transaction, realm: Realm, user: User, role: Role): Promise<void> {
  await saveUserFields(tx, user.id, { role })
  const changed = { ...user, role }
  await tellOfChange(tx, realm, changed, { role })
  await tellOfGroupsChange(tx, realm, user, changed)
  await tellOfChannelsChange(tx, realm, user, changed)
}

/** Whether it is a person, and no other active account owns the organization. */
export async function isLastOwner(tx: Transaction, user: User): Promise<boolean> {
  if (user.role !== Role.owner || isBot(user) || user.deactivatedAt !== null) return false
  return (await countActiveOwners(tx, user.realmId)) <= 1
}

/** Gives the account another real address. */
export async function changeEmail(tx: Transaction, realm: Realm, user: User, given: string): Promise<void> {
  if (given.trim() === user.deliveryEmail) return
  const deliveryEmail = await requireFreeAddress(tx, realm, given, user)
  await saveUserEmail(tx, user.id, deliveryEmail)
  await tellOfAddress(tx, realm, user, { ...user, deliveryEmail })
}
