import type { FieldType } from '../../../server/people/profiles/field.ts'
import type { ProfileField } from '../../store/organization.ts'

/** What kind of thing people say in a field, by the numbers of the API. */
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

/** What can be chosen in a field; its key stays when it is called otherwise. */
export type FieldChoice = { key: string; text: string }

/** What can be chosen, in its order; nothing for fields of other kinds. */
export function choicesOf({ type, field_data }: Pick<ProfileField, 'type' | 'field_data'>): FieldChoice[] {
  if (type !== FieldKind.choice) return []
  const choices = Object.entries(JSON.parse(field_data) as Record<string, { text: string; order: string }>)
  return choices
    .sort(([, one], [, other]) => Number(one.order) - Number(other.order))
    .map(([key, { text }]) => ({ key, text }))
}

/** Where people have the accounts that a field asks for: a site that the server knows, or `custom` with a pattern. */
export type AccountSite = { subtype: string; url_pattern?: string }

/** The site of a field for accounts; null for fields of other kinds. */
export const siteOf = ({ type, field_data }: Pick<ProfileField, 'type' | 'field_data'>): AccountSite | null =>
  type === FieldKind.externalAccount ? (JSON.parse(field_data) as AccountSite) : null

/** The ids in what somebody says in a field for people. */
export const idsIn = (value: string): number[] => JSON.parse(value) as number[]
