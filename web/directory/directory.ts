import { matchesPerson } from '../people/person-row.ts'
import type { Person } from '../store/organization.ts'

/** The accounts that a directory shows. */
export type AccountKind = 'people' | 'bots' | 'deactivated'

export type DirectoryOrder = 'presence' | 'name' | 'role' | 'newest'

export type DirectoryFilter = { kind: AccountKind; role: number | 'any'; order: DirectoryOrder; text: string }

export const EVERYONE: DirectoryFilter = { kind: 'people', role: 'any', order: 'presence', text: '' }

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

const ORDERS: Readonly<Record<DirectoryOrder, (one: Person, other: Person) => number>> = {
  presence: () => 0,
  name: () => 0,
  role: (one, other) => one.role - other.role,
  newest: (one, other) => Date.parse(other.date_joined) - Date.parse(one.date_joined),
}

/** Returns the accounts of a kind and role, sorted by `order` and then by name. */
export function listPeople(
  { active, deactivated }: { active: readonly Person[]; deactivated: readonly Person[] },
  { kind, role, order }: Pick<DirectoryFilter, 'kind' | 'role' | 'order'>,
): Person[] {
  return (kind === 'deactivated' ? deactivated : active)
    .filter(({ is_bot }) => kind === 'deactivated' || is_bot === (kind === 'bots'))
    .filter((person) => role === 'any' || person.role === role)
    .sort((one, other) => ORDERS[order](one, other) || byName.compare(one.full_name, other.full_name))
}

/** Returns true if the text matches the user, or is part of a bot's email address. */
export const isFound = (person: Person, text: string): boolean =>
  matchesPerson(person, text) || (person.is_bot && person.email.toLowerCase().includes(text.trim().toLowerCase()))
