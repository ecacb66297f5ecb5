import type { Organization, Person, ProfileField } from '../organization.ts'

type Known = Pick<Organization, 'custom_profile_fields' | 'realm_users' | 'realm_non_active_users'>
type ProfileData = NonNullable<Person['profile_data']>

/** What somebody says in a field from now on; null where they say nothing any more. */
export type ProfileValue = { id: number; value: string | null; rendered_value?: string }

/** The fields after a `custom_profile_fields` event. With a field goes what was said in it. */
export function organizationAfterFields(known: Known, event: Readonly<Record<string, unknown>>): Known {
  const fields = event['fields'] as ProfileField[]
  const left = new Set(fields.map(({ id }) => id))
  const lost = known.custom_profile_fields.filter(({ id }) => !left.has(id))
  const without = (people: Person[]) =>
    lost.length === 0 ? people : people.map((person) => lost.reduce((one, { id }) => withoutAnswer(one, id), person))
  return {
    custom_profile_fields: fields,
    realm_users: without(known.realm_users),
    realm_non_active_users: without(known.realm_non_active_users),
  }
}

function withoutAnswer(person: Person, id: number): Person {
  if (person.profile_data?.[id] === undefined) return person
  return { ...person, profile_data: withFieldValue(person.profile_data, { id, value: null }) }
}

/** What somebody says of themselves, after they have changed one thing of it. */
export function withFieldValue(data: ProfileData = {}, { id, value, ...rendered }: ProfileValue): ProfileData {
  const { [id]: _, ...others } = data
  return value === null ? others : { ...others, [id]: { value, ...rendered } }
}
