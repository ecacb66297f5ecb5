import { type Organization, type Person, updateOrganization } from './organization.ts'
import type { EventOf } from './registration.ts'

type Known = Pick<Organization, 'custom_profile_fields' | 'realm_users' | 'realm_non_active_users'>
type ProfileData = NonNullable<Person['profile_data']>

/** A change of one value in a user's profile. The value is null if it was cleared. */
type ProfileFieldUpdate = { id: number; value: string | null; rendered_value?: string | undefined }

/**
 * Returns the changed parts of the organization after an event. The values of deleted fields are removed from all
 * users.
 */
export function organizationAfterFields(
  known: Known,
  { fields }: Pick<EventOf<'custom_profile_fields'>, 'fields'>,
): Known {
  const ids = new Set(fields.map(({ id }) => id))
  const deleted = known.custom_profile_fields.filter(({ id }) => !ids.has(id))
  const without = (people: Person[]) =>
    deleted.length === 0
      ? people
      : people.map((person) => deleted.reduce((one, { id }) => withoutValue(one, id), person))
  return {
    custom_profile_fields: fields,
    realm_users: without(known.realm_users),
    realm_non_active_users: without(known.realm_non_active_users),
  }
}

function withoutValue(person: Person, id: number): Person {
  if (person.profile_data?.[id] === undefined) return person
  return { ...person, profile_data: withFieldValue(person.profile_data, { id, value: null }) }
}

/** Returns a user's profile after a change of one value. */
export function withFieldValue(data: ProfileData = {}, { id, value, ...rendered }: ProfileFieldUpdate): ProfileData {
  const { [id]: _, ...others } = data
  return value === null ? others : { ...others, [id]: { value, ...rendered } }
}

/** Applies a profile answer that was saved, before the event of the change arrives. */
export function applyProfileAnswer(userId: number, answer: ProfileFieldUpdate): void {
  updateOrganization(({ realm_users }) => ({
    realm_users: realm_users.map((person) =>
      person.user_id === userId ? { ...person, profile_data: withFieldValue(person.profile_data, answer) } : person,
    ),
  }))
}
