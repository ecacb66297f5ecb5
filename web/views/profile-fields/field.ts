import type { FieldType } from '#people/profile-fields.ts'
import type { ProfileField } from '../../store/organization.ts'

/** Types of profile fields by their numbers in the API. */
export const FieldKind = {
  shortText: 1,
  longText: 2,
  choice: 3,
  date: 4,
  link: 5,
  people: 6,
  externalAccount: 7,
  pronouns: 8,
} as const satisfies typeof FieldType

/** An option of a field. Its key stays the same when the option is renamed. */
export type FieldChoice = { key: string; text: string }

/** Returns the options of a field in their order; none for other types. */
export function choicesOf({ type, field_data }: Pick<ProfileField, 'type' | 'field_data'>): FieldChoice[] {
  if (type !== FieldKind.choice) return []
  const choices = Object.entries(JSON.parse(field_data) as Record<string, { text: string; order: string }>)
  return choices
    .sort(([, one], [, other]) => Number(one.order) - Number(other.order))
    .map(([key, { text }]) => ({ key, text }))
}

/** The site of an external account: one that the server knows, or `custom` with a URL pattern. */
type AccountSite = { subtype: string; url_pattern?: string }

/** Returns the site of an account field; null for other types. */
export const siteOf = ({ type, field_data }: Pick<ProfileField, 'type' | 'field_data'>): AccountSite | null =>
  type === FieldKind.externalAccount ? (JSON.parse(field_data) as AccountSite) : null

/** Returns the user ids in the value of a field for people. */
export const idsIn = (value: string): number[] => JSON.parse(value) as number[]
