import { type ProfileValue, withFieldValue } from '../events/profile-fields.ts'
import { updateOrganization } from '../organization.ts'

/** Takes what the server has just accepted for somebody's profile, ahead of the event. */
export function applyProfileAnswer(userId: number, answer: ProfileValue): void {
  updateOrganization(({ realm_users }) => ({
    realm_users: realm_users.map((person) =>
      person.user_id === userId ? { ...person, profile_data: withFieldValue(person.profile_data, answer) } : person,
    ),
  }))
}
