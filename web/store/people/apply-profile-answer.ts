import { type ProfileFieldUpdate, withFieldValue } from '../events/profile-fields.ts'
import { updateOrganization } from '../organization.ts'

/** Applies a profile answer that was saved, before the event of the change arrives. */
export function applyProfileAnswer(userId: number, answer: ProfileFieldUpdate): void {
  updateOrganization(({ realm_users }) => ({
    realm_users: realm_users.map((person) =>
      person.user_id === userId ? { ...person, profile_data: withFieldValue(person.profile_data, answer) } : person,
    ),
  }))
}
