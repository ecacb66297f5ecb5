import { type Answer, withAnswer } from '../events/profile-fields.ts'
import { updateOrganization } from '../organization.ts'

/** Takes what the server has just accepted for somebody's profile, ahead of the event. */
export function takeAnswer(userId: number, answer: Answer): void {
  updateOrganization(({ realm_users }) => ({
    realm_users: realm_users.map((person) =>
      person.user_id === userId ? { ...person, profile_data: withAnswer(person.profile_data, answer) } : person,
    ),
  }))
}
