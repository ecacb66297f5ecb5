import { isAdministrator, isGuest, isOwner } from '#rules/role.ts'
import { type Organization, type Person, updateOrganization } from '../../store/organization.ts'
import { noteChangedPerson } from '../../store/people-on-demand.ts'
import { withFieldValue } from '../../store/profile-fields.ts'
import type { EventOf } from '../../store/registration.ts'

type People = Pick<Organization, 'realm_users' | 'realm_non_active_users'>
type UserEvent = EventOf<'realm_user'>
type Change = Extract<UserEvent, { op: 'update' }>['person']

/** Returns false if the user's own role changed, since only the server knows the permissions of the new role. */
export function applyRealmUser(event: UserEvent): boolean {
  const { person } = event
  noteChangedPerson(person.user_id)
  let isOwnRole = false
  updateOrganization((organization) => {
    isOwnRole = person.user_id === organization.user_id && 'role' in person && person.role !== undefined
    return { ...peopleAfterEvent(organization, event), ...ownChange(organization.user_id, person) }
  })
  return !isOwnRole
}

export function peopleAfterEvent(people: People, event: UserEvent): People {
  const id = event.person.user_id
  const without = (list: readonly Person[]) => list.filter(({ user_id }) => user_id !== id)
  const { realm_users, realm_non_active_users } = people
  switch (event.op) {
    case 'add':
      return { ...people, realm_users: [...without(realm_users), event.person] }
    case 'remove':
      return { realm_users: without(realm_users), realm_non_active_users: without(realm_non_active_users) }
    default:
      return withChange(people, event.person)
  }
}

function withChange(people: People, change: Change): People {
  const { realm_users, realm_non_active_users } = people
  const before = [...realm_users, ...realm_non_active_users].find(({ user_id }) => user_id === change.user_id)
  if (before === undefined) return people
  const after = changed(before, change)
  const without = (list: readonly Person[]) => list.filter((one) => one !== before)
  const replaced = (list: readonly Person[]) => list.map((one) => (one === before ? after : one))
  if (before.is_active === after.is_active)
    return { realm_users: replaced(realm_users), realm_non_active_users: replaced(realm_non_active_users) }
  return after.is_active
    ? { realm_users: [...realm_users, after], realm_non_active_users: without(realm_non_active_users) }
    : { realm_users: without(realm_users), realm_non_active_users: [...realm_non_active_users, after] }
}

/** Returns the account after a change. If the role has changed, the fields that depend on the role change, too. */
function changed(person: Person, { new_email, custom_profile_field: value, ...change }: Change): Person {
  const { role } = change
  return {
    ...person,
    ...change,
    ...(new_email !== undefined && { email: new_email }),
    ...(value !== undefined && { profile_data: withFieldValue(person.profile_data, value) }),
    ...(role !== undefined && {
      is_owner: isOwner({ role }),
      is_admin: isAdministrator({ role }),
      is_guest: isGuest({ role }),
    }),
  }
}

type OwnFields = Pick<Organization, 'full_name' | 'delivery_email' | 'avatar_url_medium'>

/** Returns the changed fields of the user's own account that the state also has outside of the list of users. */
function ownChange(ownId: number, person: UserEvent['person']): Partial<OwnFields> {
  if (person.user_id !== ownId) return {}
  const changes = Object.entries(person).filter(
    ([name, value]) => typeof value === 'string' && ['full_name', 'delivery_email', 'avatar_url_medium'].includes(name),
  )
  return Object.fromEntries(changes)
}

type Statuses = Organization['user_status']

export function applyStatus(event: EventOf<'user_status'>): void {
  updateOrganization(({ user_status }) => ({ user_status: statusesAfterEvent(user_status, event) }))
}

const FIELDS = ['status_text', 'emoji_name', 'emoji_code', 'reaction_type', 'scheduled_end_time'] as const

/** Returns the statuses after an event. The event has only the fields that changed. An empty field was cleared. */
export function statusesAfterEvent(statuses: Statuses, event: Omit<EventOf<'user_status'>, 'id' | 'type'>): Statuses {
  const id = String(event.user_id)
  const changes = Object.fromEntries(FIELDS.filter((field) => field in event).map((field) => [field, event[field]]))
  const { status_text, emoji_name, scheduled_end_time, ...emoji } = { ...statuses[id], ...changes }
  const { [id]: _, ...others } = statuses
  const status: Statuses[string] = {
    ...(status_text && { status_text }),
    ...(emoji_name && { emoji_name, ...emoji }),
    ...(scheduled_end_time != null && { scheduled_end_time }),
  }
  return Object.keys(status).length === 0 ? others : { ...others, [id]: status }
}
