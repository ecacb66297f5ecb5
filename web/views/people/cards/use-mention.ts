import { type Person, useOrganizationPart } from '../../../store/organization.ts'
import { mentionOf } from '../mention-of.ts'

/** Returns the Markdown that mentions a user. */
export const useMention = (person: Person): string =>
  useOrganizationPart(({ realm_users }) => mentionOf(person, realm_users))
