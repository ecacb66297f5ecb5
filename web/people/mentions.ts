import { currentOrganization, type Group, type Person, useOrganizationPart } from '../store/organization.ts'
import { hasNamesake } from '../store/people.ts'

/**
 * Returns the Markdown that mentions a user. It contains the id if the name alone is ambiguous, or may be because the
 * client does not know everyone.
 */
export function mentionOf(person: Person, users: readonly Person[], isSilent = false): string {
  const { user_id, full_name } = person
  const isIncomplete = currentOrganization()?.user_list_incomplete === true
  const name =
    full_name.includes('|') || hasNamesake(person, users) || isIncomplete ? `${full_name}|${user_id}` : full_name
  return `@${isSilent ? '_' : ''}**${name}**`
}

/** Returns the Markdown that mentions a group. */
export const mentionOfGroup = ({ name }: Group): string => `@*${name}*`

/** Returns the Markdown that mentions a user. */
export const useMention = (person: Person): string =>
  useOrganizationPart(({ realm_users }) => mentionOf(person, realm_users))

/** Returns a link to a user's profile. The link works in any Zulip client. */
export const linkToPerson = ({ user_id }: Person, realmUrl: string): string => `${realmUrl}/#user/${user_id}`
