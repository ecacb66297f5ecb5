import { botRoleLimit, isActiveOwner, isAdministrator, mayManageRole, Role } from '#rules/role.ts'
import type { Organization, Person } from '../store/organization.ts'
import { ROLES } from '../store/people.ts'

type Scope = Pick<Organization, 'user_id' | 'realm_users'>

/** Returns the user in the form that the server's rules expect. */
const actorOf = ({ user_id, realm_users }: Scope): { role: number } =>
  realm_users.find((person) => person.user_id === user_id) ?? { role: Role.guest }

const isOwner = ({ role, is_bot: isBot, is_active: isActive }: Person): boolean =>
  isActiveOwner({ role, isBot, isActive })

/** Returns true if the account is the organization's last owner. */
const isLastOwner = ({ realm_users }: Pick<Scope, 'realm_users'>, person: Person): boolean =>
  isOwner(person) && realm_users.filter(isOwner).length === 1

/** Returns true if the user may deactivate another user's account. */
export const mayDeactivate = (scope: Scope, person: Person): boolean =>
  isAdministrator(actorOf(scope)) &&
  person.is_active &&
  person.user_id !== scope.user_id &&
  mayManageRole(actorOf(scope), person.role) &&
  !isLastOwner(scope, person)

/** Returns true if the user may change the account's role to `role`. */
export const mayGiveRole = (scope: Scope, person: Person, role: number): boolean =>
  isAdministrator(actorOf(scope)) &&
  person.is_active &&
  person.role !== role &&
  mayManageRole(actorOf(scope), person.role) &&
  mayManageRole(actorOf(scope), role) &&
  !isLastOwner(scope, person) &&
  (!person.is_bot || role >= highestRoleOf(scope, person))

/** Returns the highest role that a bot can have. It depends on the bot's owner. */
function highestRoleOf({ realm_users }: Scope, bot: Person): Role {
  const owner = ownerOf(realm_users, bot)
  return botRoleLimit(owner === undefined ? null : { role: owner.role as Role, isActive: owner.is_active })
}

/** Returns the roles that the user may give to at least one of the accounts. */
export const rolesFor = (scope: Scope, people: readonly Person[]): (typeof ROLES)[number][] =>
  ROLES.filter(({ id }) => people.some((person) => mayGiveRole(scope, person, id)))

export const mayReactivate = (scope: Scope, person: Person): boolean =>
  isAdministrator(actorOf(scope)) && !person.is_active

export type AccountStatus = 'active' | 'ended'
export type AccountFilter = { kind: AccountStatus | 'unprotected'; text: string; role: number | 'any' }
/** The filter of the list of bots. `bot` is a `bot_type` of the API. */
export type BotFilter = { kind: AccountStatus | 'any'; text: string; bot: number | 'any' }

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

const KINDS: Readonly<Record<AccountStatus, (person: Person) => boolean>> = {
  active: ({ is_active }) => is_active,
  ended: ({ is_active }) => !is_active,
}

/**
 * Returns the matching accounts, sorted by name. The text is searched in names and email addresses. `unprotected` has the
 * ids of the people without a second factor.
 */
export function filterAccounts(
  accounts: readonly Person[],
  { kind, text, role }: AccountFilter,
  unprotected: ReadonlySet<number>,
): Person[] {
  return accounts
    .filter(({ is_bot }) => !is_bot)
    .filter((person) => (kind === 'unprotected' ? unprotected.has(person.user_id) : KINDS[kind](person)))
    .filter((person) => role === 'any' || person.role === role)
    .filter(({ full_name, email, delivery_email }) => hold(text, [full_name, email, delivery_email]))
    .sort((one, other) => byName.compare(one.full_name, other.full_name))
}

/** Returns the matching bots, sorted by name. The text is searched in names, email addresses, and names of owners. */
export function filterBots(accounts: readonly Person[], { kind, text, bot }: BotFilter): Person[] {
  return accounts
    .filter(({ is_bot }) => is_bot)
    .filter((account) => kind === 'any' || KINDS[kind](account))
    .filter(({ bot_type }) => bot === 'any' || bot_type === bot)
    .filter((account) => hold(text, [account.full_name, account.email, ownerOf(accounts, account)?.full_name]))
    .sort((one, other) => byName.compare(one.full_name, other.full_name))
}

/** Returns the owner of a bot, who may be deactivated; undefined if it has none. */
export const ownerOf = (accounts: readonly Person[], { bot_owner_id }: Person): Person | undefined =>
  accounts.find(({ user_id }) => user_id === bot_owner_id)

const hold = (text: string, fields: readonly (string | null | undefined)[]): boolean =>
  fields.some((field) => field?.toLowerCase().includes(text.trim().toLowerCase()))
