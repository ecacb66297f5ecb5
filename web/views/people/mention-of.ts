import type { Group, Person } from '../../store/organization.ts'

/** Returns the Markdown that mentions a user. It contains the id if the name alone is ambiguous. */
export function mentionOf({ user_id, full_name }: Person, people: readonly Person[]): string {
  const isAmbiguous = full_name.includes('|') || people.filter((one) => one.full_name === full_name).length > 1
  return isAmbiguous ? `@**${full_name}|${user_id}**` : `@**${full_name}**`
}

/** Returns the Markdown that mentions a group. */
export const mentionOfGroup = ({ name }: Group): string => `@*${name}*`
