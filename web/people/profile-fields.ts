import type { FieldType } from '#people/profile-fields.ts'
import type { Organization, Person, ProfileField } from '../store/organization.ts'

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

/** The value of a profile field as the server returns it. */
export type ProfileAnswer = NonNullable<Person['profile_data']>[string]

type DisplayedValue =
  | { as: 'text'; text: string }
  | { as: 'html'; html: string }
  | { as: 'link'; text: string; address: string }
  | { as: 'people'; ids: readonly number[] }

type Accounts = Organization['realm_default_external_accounts']

/** Returns the value as it is displayed; null if it is no longer valid. */
export function displayedValue(
  field: ProfileField,
  { value, rendered_value }: ProfileAnswer,
  accounts: Accounts,
): DisplayedValue | null {
  switch (field.type) {
    case FieldKind.choice: {
      const choice = choicesOf(field).find(({ key }) => key === value)
      return choice === undefined ? null : { as: 'text', text: choice.text }
    }
    case FieldKind.date:
      return { as: 'text', text: formatDate(value) }
    case FieldKind.link:
      return linkOrText(value, webAddress(value))
    case FieldKind.people:
      return { as: 'people', ids: idsIn(value) }
    case FieldKind.externalAccount:
      return linkOrText(value, accountAddress(field, value, accounts))
    default:
      return rendered_value === undefined ? { as: 'text', text: value } : { as: 'html', html: rendered_value }
  }
}

const linkOrText = (text: string, address: string | null): DisplayedValue =>
  address === null ? { as: 'text', text } : { as: 'link', text, address }

/** Returns the URL if it is a web URL; null otherwise, since other schemes may run code. */
function webAddress(text: string): string | null {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}

/** Returns the URL of an external account; null if the site is unknown. */
function accountAddress(field: ProfileField, name: string, accounts: Accounts): string | null {
  const { subtype = '', url_pattern } = siteOf(field) ?? {}
  const pattern = url_pattern ?? accounts[subtype]?.url_pattern
  if (pattern === undefined) return null
  // Users choose the account name, so it must not change the site.
  return webAddress(pattern.replace('%(username)s', () => encodeURIComponent(name)))
}

const inWords = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeZone: 'UTC' })

/** Returns a day such as `2030-01-05` in the form "5 January 2030", independent of the time zone. */
const formatDate = (day: string): string => inWords.format(Date.parse(day))
