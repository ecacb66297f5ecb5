import type { Organization, Person, ProfileField } from '../../store/organization.ts'
import { choicesOf, FieldKind, idsIn, siteOf } from './field.ts'

/** What somebody says in a field, as it is told. */
export type ProfileAnswer = NonNullable<Person['profile_data']>[string]

/** What is seen of it. */
export type DisplayedValue =
  | { as: 'text'; text: string }
  | { as: 'html'; html: string }
  | { as: 'link'; text: string; address: string }
  | { as: 'people'; ids: readonly number[] }

type Accounts = Organization['realm_default_external_accounts']

/** How what somebody says in a field is shown; null where it says nothing any more. */
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

/** The address, if it is one of the web, in full; else null: other kinds of addresses may run things. */
export function webAddress(text: string): string | null {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}

/** Where somebody's account is; null where nothing known leads there. */
export function accountAddress(field: ProfileField, name: string, accounts: Accounts): string | null {
  const { subtype = '', url_pattern } = siteOf(field) ?? {}
  const pattern = url_pattern ?? accounts[subtype]?.url_pattern
  if (pattern === undefined) return null
  // Whoever has the account chose its name: none of it may lead to another site.
  return webAddress(pattern.replace('%(username)s', () => encodeURIComponent(name)))
}

const inWords = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeZone: 'UTC' })

/** Such as "5 January 2030", of `2030-01-05`; a day is the same in all time zones. */
export const formatDate = (day: string): string => inWords.format(Date.parse(day))
