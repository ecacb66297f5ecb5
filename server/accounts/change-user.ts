import { refusal } from '#lib/errors/refusal.ts'
import { findBotsWithHigherRole, isNameTaken } from '#people/users/bots/bot-queries.ts'
import { requireFullName } from '#people/users/full-name.ts'
import { lockEmailAddresses, saveUserFields } from '#people/users/queries.ts'
import { requireUniqueName } from '#people/users/unique-name.ts'
import { type Actor, apiEmail, isBot, type User } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import type { Role } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { requireMayChangeRole } from './access.ts'
import { emitMembershipChange } from './emit-membership-change.ts'
import { emitRoleVisibilityChange } from './emit-role-visibility-change.ts'
import { emitBotChange, emitUserChange } from './emit-user-events.ts'
import { emitUserSetting } from './emit-user-setting.ts'

export const botNameTaken = refusal('BAD_REQUEST', 400, 'Name is already in use.', { field: 'full_name' })

/** Renames the account. A bot cannot take the name of another account. */
export async function changeFullName(tx: Transaction, realm: Realm, user: User, given: string): Promise<void> {
  const fullName = requireFullName(given)
  if (fullName === user.fullName) return
  if (!isBot(user)) await requireUniqueName(tx, realm, fullName, user.id)
  else await requireAvailableBotName(tx, realm, fullName)
  await saveUserFields(tx, user.id, { fullName })
  await emitUserChange(tx, realm, user, { full_name: fullName })
  if (isBot(user)) await emitBotChange(tx, realm, user, { full_name: fullName })
}

/** Refuses a name that is in use. A name that is accepted stays reserved until the transaction ends. */
async function requireAvailableBotName(tx: Transaction, realm: Realm, fullName: string): Promise<void> {
  await lockEmailAddresses(tx, realm.id)
  if (await isNameTaken(tx.db, realm.id, fullName)) throw botNameTaken()
}

/** Changes the role of the account. Refuses unless the actor may change it. */
export async function changeRole(tx: Transaction, actor: Actor, user: User, role: Role): Promise<void> {
  if (user.role === role) return
  await requireMayChangeRole(tx, actor, user, role)
  await setRole(tx, actor.realm, user, role)
}

/** Changes the role without checking permissions. Bots of the user that have a higher role get the new role, too. */
export async function setRole(tx: Transaction, realm: Realm, user: User, role: Role): Promise<void> {
  await saveUserFields(tx, user.id, { role })
  const changed = { ...user, role }
  await emitUserChange(tx, realm, changed, { role })
  await emitMembershipChange(tx, realm, user, changed)
  await emitRoleVisibilityChange(tx, realm, user, changed)
  for (const bot of await findBotsWithHigherRole(tx.db, user.id, role)) await setRole(tx, realm, bot, role)
}

/** Sets the IANA time zone of the account. */
export async function changeTimezone(tx: Transaction, realm: Realm, user: User, timezone: string): Promise<void> {
  if (timezone === user.timezone) return
  await saveUserFields(tx, user.id, { timezone })
  emitUserSetting(tx, realm, user, 'timezone', timezone)
  const email = apiEmail(user, realm, tx.db.settings.EXTERNAL_URL)
  await emitUserChange(tx, realm, user, { email, timezone })
}
