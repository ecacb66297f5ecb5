import { type Organization, type Person, updateOrganization } from '../organization.ts'
import type { ServerEvent } from './event.ts'
import { type ProfileValue, withFieldValue } from './profile-fields.ts'

type People = Pick<Organization, 'realm_users' | 'realm_non_active_users'>
type Change = {
  user_id: number
  role?: number
  is_active?: boolean
  new_email?: string
  custom_profile_field?: ProfileValue
}

/** Makes true again what is known of somebody's account; false when only registering anew can do that. */
export function applyRealmUser(event: ServerEvent): boolean {
  const person = event['person'] as Change
  let isOwnRole = false
  updateOrganization((organization) => {
    // One's own role changes what one may do, which only the server knows.
    isOwnRole = person.user_id === organization.user_id && person.role !== undefined
    return { ...peopleAfterEvent(organization, event), ...ownChange(organization.user_id, person) }
  })
  return !isOwnRole
}

/** The people after a `realm_user` event. */
export function peopleAfterEvent(people: People, event: Readonly<Record<string, unknown>>): People {
  const person = event['person'] as Change
  const without = (list: readonly Person[]) => list.filter(({ user_id }) => user_id !== person.user_id)
  const { realm_users, realm_non_active_users } = people
  if (event['op'] === 'add') return { ...people, realm_users: [...without(realm_users), event['person'] as Person] }
  if (event['op'] === 'remove')
    return { realm_users: without(realm_users), realm_non_active_users: without(realm_non_active_users) }
  const before = [...realm_users, ...realm_non_active_users].find(({ user_id }) => user_id === person.user_id)
  if (before === undefined) return people
  const after = changed(before, person)
  const replaced = (list: Person[]) => list.map((one) => (one.user_id === person.user_id ? after : one))
  if (before.is_active === after.is_active)
    return { realm_users: replaced(realm_users), realm_non_active_users: replaced(realm_non_active_users) }
  return after.is_active
    ? { realm_users: [...realm_users, after], realm_non_active_users: without(realm_non_active_users) }
    : { realm_users: without(realm_users), realm_non_active_users: [...realm_non_active_users, after] }
}

/** The account after a change, what follows from its role included. */
function changed(person: Person, { new_email, custom_profile_field: answer, ...change }: Change): Person {
  const { role } = change
  return {
    ...person,
    ...change,
    ...(new_email !== undefined && { email: new_email }),
    ...(answer !== undefined && { profile_data: withFieldValue(person.profile_data, answer) }),
    ...(role !== undefined && { is_owner: role === 100, is_admin: role <= 200, is_guest: role === 600 }),
  }
}

type Own = 'full_name' | 'delivery_email' | 'avatar_url_medium'

/** What is known of one's own account apart from the list of all. */
function ownChange(ownId: number, person: Change): Partial<Pick<Organization, Own>> {
  if (person.user_id !== ownId) return {}
  const events = Object.entries(person).filter(
    ([name, value]) => typeof value === 'string' && ['full_name', 'delivery_email', 'avatar_url_medium'].includes(name),
  )
  return Object.fromEntries(events)
}
