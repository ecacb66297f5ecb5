import type { Organization, Person } from '../../store/organization.ts'
import { ROLES } from '../../store/people/role.ts'

type Scope = Pick<Organization, 'user_id' | 'is_admin' | 'realm_users'>

const OWNER = 100

const isOwner = ({ user_id, realm_users }: Scope): boolean =>
  realm_users.some((person) => person.user_id === user_id && person.role === OWNER)

/** Whether the organization would be without an owner but for this account. */
export const isLastOwner = ({ realm_users }: Pick<Scope, 'realm_users'>, person: Person): boolean =>
  person.is_active &&
  !person.is_bot &&
  person.role === OWNER &&
  realm_users.filter(({ role, is_bot }) => role === OWNER && !is_bot).length === 1

/** Whether one may end the account, of others alone: one's own is ended by oneself. */
export const mayDeactivate = (scope: Scope, person: Person): boolean =>
  scope.is_admin &&
  person.is_active &&
  person.user_id !== scope.user_id &&
  (person.role !== OWNER || isOwner(scope)) &&
  !isLastOwner(scope, person)

/** Whether one may give the account another role: only owners may make and unmake owners, and one has to remain. */
export const mayGiveRole = (scope: Scope, person: Person, role: number): boolean =>
  scope.is_admin &&
  person.is_active &&
  person.role !== role &&
  ((person.role !== OWNER && role !== OWNER) || isOwner(scope)) &&
  !isLastOwner(scope, person)

/** The roles that one may give to some of the accounts. */
export const rolesFor = (scope: Scope, people: readonly Person[]): (typeof ROLES)[number][] =>
  ROLES.filter(({ id }) => people.some((person) => mayGiveRole(scope, person, id)))

export const mayReactivate = (scope: Scope, person: Person): boolean => scope.is_admin && !person.is_active

export type AccountStatus = 'active' | 'ended'
export type AccountFilter = { kind: AccountStatus; text: string; role: number | 'any' }
/** `bot` is the kind of a bot (`bot_type`). */
export type BotFilter = { kind: AccountStatus | 'any'; text: string; bot: number | 'any' }

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

const KINDS: Readonly<Record<AccountStatus, (person: Person) => boolean>> = {
  active: ({ is_active }) => is_active,
  ended: ({ is_active }) => !is_active,
}

/** The accounts of people that are asked for, by name; text is looked for in names and addresses. */
export function filterAccounts(accounts: readonly Person[], { kind, text, role }: AccountFilter): Person[] {
  return accounts
    .filter(({ is_bot }) => !is_bot)
    .filter(KINDS[kind])
    .filter((person) => role === 'any' || person.role === role)
    .filter(({ full_name, email, delivery_email }) => hold(text, [full_name, email, delivery_email]))
    .sort((one, other) => byName.compare(one.full_name, other.full_name))
}

/** The bots that are asked for, by name; text is looked for in names and addresses, and in the names of owners. */
export function filterBots(accounts: readonly Person[], { kind, text, bot }: BotFilter): Person[] {
  return accounts
    .filter(({ is_bot }) => is_bot)
    .filter((account) => kind === 'any' || KINDS[kind](account))
    .filter(({ bot_type }) => bot === 'any' || bot_type === bot)
    .filter((account) => hold(text, [account.full_name, account.email, ownerOf(accounts, account)?.full_name]))
    .sort((one, other) => byName.compare(one.full_name, other.full_name))
}

/** Who looks after the bot, whose account may have ended; undefined where it is nobody's. */
export const ownerOf = (accounts: readonly Person[], { bot_owner_id }: Person): Person | undefined =>
  accounts.find(({ user_id }) => user_id === bot_owner_id)

const hold = (text: string, fields: readonly (string | null | undefined)[]): boolean =>
  fields.some((field) => field?.toLowerCase().includes(text.trim().toLowerCase()))
