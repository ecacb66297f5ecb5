import { refusal } from '../base/refusal.ts'
import type { Transaction } from '../storage/storage.ts'
import { insufficientPermission, mustBeAdministrator, mustBeOwner, noSuchUser, requireUser } from './access.ts'
import { tellOfUserChange } from './events.ts'
import { countActiveOwners, findUser, saveUserFields } from './queries.ts'
import { isAdministrator, isOwner, Role } from './role.ts'
import type { Actor, User } from './user.ts'

export const lastOwnerRole = refusal(
  'BAD_REQUEST',
  400,
  'The owner permission cannot be removed from the only organization owner.',
)
export const lastOwner = refusal(
  'CANNOT_DEACTIVATE_LAST_USER',
  400,
  'You cannot deactivate the only organization owner.',
  () => ({ is_last_owner: true, entity: 'organization owner' }),
)
export const alreadyActive = refusal('BAD_REQUEST', 400, 'User already active')
export const alreadyDeactivated = refusal('BAD_REQUEST', 400, 'User is already deactivated')

/** A person whose account the actor may change: themselves, or anyone for administrators, owners for owners alone. */
export async function requireChangeableUser(tx: Transaction, actor: Actor, id: number): Promise<User> {
  const user = await requireUser(tx.db, actor, id)
  if (user.botType !== null) throw noSuchUser()
  if (user.id !== actor.id && !isAdministrator(actor)) throw insufficientPermission()
  return user
}

export async function changeFullName(tx: Transaction, user: User, fullName: string): Promise<void> {
  if (user.fullName === fullName) return
  await saveUserFields(tx, user.id, { fullName })
  await tellOfUserChange(tx, user, { full_name: fullName })
}

/** Gives the user another role: administrators may, but to and from owner only owners. */
export async function changeRole(tx: Transaction, actor: Actor, user: User, role: Role): Promise<void> {
  if (user.role === role) return
  if (!isAdministrator(actor)) throw mustBeAdministrator()
  if ((user.role === Role.owner || role === Role.owner) && !isOwner(actor)) throw mustBeOwner()
  if (user.role === Role.owner && (await countActiveOwners(tx.db, user.realmId)) <= 1) throw lastOwnerRole()
  await setRole(tx, user, role)
}

/** Gives the user another role, whoever asks. */
export async function setRole(tx: Transaction, user: User, role: Role): Promise<void> {
  await saveUserFields(tx, user.id, { role })
  await tellOfUserChange(tx, user, { role })
}

/** Refuses to end the account of the last owner, and of an owner by anyone else. */
export async function requireMayDeactivate(tx: Transaction, actor: Actor, user: User): Promise<void> {
  if (user.deactivatedAt !== null) throw alreadyDeactivated()
  if (user.role !== Role.owner || user.botType !== null) return
  if (!isOwner(actor)) throw mustBeOwner()
  if ((await countActiveOwners(tx.db, user.realmId)) <= 1) throw lastOwner()
}

/** Ends an account, and with it the bots that it owns. Their rows and what they wrote stay. Returns whose ended. */
export async function deactivateUser(tx: Transaction, user: User): Promise<User[]> {
  const ended = [user, ...(await findActiveBotsOf(tx, user.id))]
  for (const { id } of ended) {
    await saveUserFields(tx, id, { deactivatedAt: tx.now })
  }
  for (const account of ended) await tellOfUserChange(tx, account, { is_active: false })
  return ended
}

export async function reactivateUser(tx: Transaction, user: User): Promise<void> {
  if (user.deactivatedAt === null) throw alreadyActive()
  await saveUserFields(tx, user.id, { deactivatedAt: null })
  await tellOfUserChange(tx, user, { is_active: true })
}

async function findActiveBotsOf(tx: Transaction, ownerId: number): Promise<User[]> {
  const rows = await tx.db
    .selectFrom('users')
    .select('id')
    .where('botOwnerId', '=', ownerId)
    .where('deactivatedAt', 'is', null)
    .execute()
  const bots = await Promise.all(rows.map(({ id }) => findUser(tx.db, id)))
  return bots.filter((bot) => bot !== null)
}
