import { findActiveUsers } from '#channels/audience.ts'
import type { Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors.ts'
import {
  insufficientPermission,
  mustBeAdministrator,
  mustBeOwner,
  requireOwnerForOwner,
  userDeactivated,
} from '#people/access.ts'
import { highestBotRole } from '#people/bots.ts'
import type { ProfileField } from '#people/profile-fields.ts'
import { countActiveOwners, findUser } from '#people/user-queries.ts'
import { type Actor, isBot, type User } from '#people/users.ts'
import { isActiveOwner, isAdministrator, isOwner, mayHaveBotType, mayManageRole, type Role } from '#rules/role.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// Permissions to change accounts: each function refuses unless the actor may make the change. An organization always
// keeps an active owner, only owners change owners, and a bot never ranks above its owner.

const lastOwner = refusal('BAD_REQUEST', 400, 'Cannot deactivate the only organization owner')
export const ownAccountIsLastOwner = refusal(
  'CANNOT_DEACTIVATE_LAST_USER',
  400,
  'Cannot deactivate the only organization owner',
  { extras: () => ({ is_last_owner: true, entity: 'organization owner' }) },
)
export const lastOwnerRole = refusal(
  'BAD_REQUEST',
  400,
  'The owner permission cannot be removed from the only organization owner.',
  { field: 'role' },
)
export const botAboveOwner = refusal('BAD_REQUEST', 400, 'A bot cannot have a higher role than its owner.', {
  field: 'role',
})
export const onlyOwnersChangeEmails = refusal(
  'BAD_REQUEST',
  400,
  "Only organization owners can change other people's email addresses.",
)
export const ownEmailInSettings = refusal(
  'BAD_REQUEST',
  400,
  'Change your own email address in your settings, with your password.',
)
export const fieldNotEditable = refusal(
  'BAD_REQUEST',
  400,
  'You are not allowed to change this field. Contact an administrator to update it.',
)

export const deactivationRefusals = [userDeactivated, mustBeOwner, lastOwner]

/** Returns whether the account belongs to a person and is the organization's only active owner. */
export async function isLastOwner(tx: Transaction, user: User): Promise<boolean> {
  if (!isActiveOwner({ role: user.role, isBot: isBot(user), isActive: user.deactivatedAt === null })) return false
  return (await countActiveOwners(tx, user.realmId)) <= 1
}

/**
 * Refuses if the account is already deactivated or is the last owner's. Also refuses if it is an owner's and the actor
 * is not an owner.
 */
export async function requireMayDeactivate(tx: Transaction, actor: Actor, user: User): Promise<void> {
  if (user.deactivatedAt !== null) throw userDeactivated()
  requireOwnerForOwner(actor, user)
  if (await isLastOwner(tx, user)) throw lastOwner()
}

/** Returns the ids of the organization's other active owners. */
export async function findOtherOwnerIds(db: Db, actor: Actor): Promise<number[]> {
  const { all } = await findActiveUsers(db, actor.realmId)
  return all.filter((user) => isOwner(user) && user.id !== actor.id).map(({ id }) => id)
}

/** Refuses if the actor is the last owner. */
export async function requireMayDeactivateSelf(tx: Transaction, actor: Actor): Promise<void> {
  if (await isLastOwner(tx, actor)) throw ownAccountIsLastOwner()
}

/**
 * Refuses unless the actor may give the account this role. Administrators may change roles, but only owners may grant
 * or revoke the owner role, and one owner must remain. A bot never has a higher role than its owner.
 */
export async function requireMayChangeRole(tx: Transaction, actor: Actor, user: User, role: Role): Promise<void> {
  if (!isAdministrator(actor)) throw mustBeAdministrator()
  if (!mayManageRole(actor, user.role) || !mayManageRole(actor, role)) throw mustBeOwner()
  if (await isLastOwner(tx, user)) throw lastOwnerRole()
  if (isBot(user) && role < highestBotRole(await findOwner(tx, user))) throw botAboveOwner()
}

/**
 * Refuses unless the actor, an administrator, may change the address of the account. Administrators may change a bot's
 * address. They may change a person's address only if they are owners or the installation allows it. Only owners may
 * change an owner's address.
 */
export function requireMayChangeEmailOf(db: Db, actor: Actor, user: User): void {
  requireOwnerForOwner(actor, user)
  if (isBot(user)) return
  if (user.id === actor.id) throw ownEmailInSettings()
  if (!isOwner(actor) && !db.settings.ADMINS_MAY_CHANGE_EMAIL) throw onlyOwnersChangeEmails()
}

/** Refuses if only administrators may change values of the field, and the actor is not one. */
export function requireMayChangeField(actor: Actor, field: ProfileField): void {
  if (!field.isEditable && !isAdministrator(actor)) throw fieldNotEditable()
}

/** Returns whether the user may see which users consent to the export of their private data. */
export const maySeeExportConsent = (user: { role: number }): boolean => isAdministrator(user)

const findOwner = (tx: Transaction, { botOwnerId }: User) => (botOwnerId === null ? null : findUser(tx.db, botOwnerId))

/** Refuses unless the organization lets the actor have bots of this type. Administrators are not exempt. */
export async function requireMayHaveBot(viewer: Viewer, botType: number): Promise<void> {
  const may = {
    createAny: await viewer.has('can_create_bots_group'),
    createWriteOnly: await viewer.has('can_create_write_only_bots_group'),
  }
  if (!mayHaveBotType(botType, may)) throw insufficientPermission()
}
