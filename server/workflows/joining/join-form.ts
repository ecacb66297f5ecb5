import { newPasswordField } from '#accounts/password-checks.ts'
import type { HttpResponse } from '#http/http-types.ts'
import {
  errorSummary,
  type FormErrors,
  field,
  hidden,
  moment,
  renderPage,
  selectField,
  timeZoneField,
} from '#http/page-html.ts'
import { type Invitation, isByEmail, roleKey } from '#invitations/invitation.ts'
import type { InvitationGrants, InvitationStatus } from '#invitations/invitation-status.ts'
import { type Html, html } from '#lib/html.ts'
import { linkTo, rich, t } from '#lib/text.ts'
import { AddressVisibility, findDefaultSettings } from '#people/user-settings.ts'
import type { User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import { organizationTypeOf } from '#realms/realm-settings.ts'
import type { Role } from '#rules/role.ts'
import type { Db } from '#storage/storage.ts'
import { type ImportFields, importFields } from './import-settings.ts'

/** The fields of every form that creates an account. */
export type AccountFields = {
  full_name: string
  password: string
  timezone: string
  /** The number of the choice in the API; '' leaves the organization's default. */
  email_address_visibility: string
} & ImportFields

/** The fields of the form that accepts an invitation. */
export type JoinFields = { key: string; email: string } & AccountFields

type FieldState = { name: string; error: string | undefined; isFocused: boolean }

export type FormResponse = { status?: number; errors?: FormErrors; headers?: Readonly<Record<string, string>> }

/**
 * Returns the page with the form that accepts the invitation. The page names the inviter and the role. If the form is
 * shown again, it keeps all values except the password.
 */
export function joinForm(
  db: Db,
  realm: Realm,
  { invitation, inviter }: InvitationStatus,
  grants: InvitationGrants,
  given: Pick<JoinFields, 'key' | 'email' | 'full_name' | 'email_address_visibility' | 'other_organization'>,
  canImport: boolean,
  shown: FormResponse = {},
): Promise<HttpResponse> {
  return accountPage(db, realm, shown, {
    action: '/accounts/register/',
    above: html`<p>${invitedAs(inviter.fullName, invitation.role)}</p>
${summary(invitation, grants)}`,
    first: (email) => html`${hidden('key', given.key)}${addressField(invitation, given.email, email)}`,
    fullName: given.full_name,
    visibility: given.email_address_visibility,
    imported: canImport ? given : null,
  })
}

/** Returns the page with the form that creates an account. The fields for the address come first. */
export async function accountPage(
  db: Db,
  realm: Realm,
  { status = 200, errors = {}, headers = {} }: FormResponse,
  form: {
    action: string
    above: Html
    first: (email: FieldState) => Html
    fullName: string
    /** The chosen `email_address_visibility`; '' for the organization's default. */
    visibility: string
    /** The values of the fields for importing settings; null if the server has no other organization. */
    imported: Pick<ImportFields, 'other_organization'> | null
  },
): Promise<HttpResponse> {
  const { email_address_visibility: usual = AddressVisibility.everyone } = await findDefaultSettings(db, realm.id)
  const wrong = Object.keys(errors).filter((name) => errors[name] !== undefined)
  const type = organizationTypeOf(realm.settings)
  const fieldOf = (name: 'email' | 'full_name' | 'password') => ({
    name,
    error: errors[name],
    isFocused: wrong[0] === name,
  })
  return renderPage({
    status,
    headers,
    heading: t('Join {realm}', { realm: realm.name }),
    organization: realm,
    hasErrors: wrong.length > 0,
    content: html`${type !== null && html`<p class="quiet">${type}</p>\n`}${form.above}${errorSummary(errors)}<form method="post" action="${form.action}">
${form.first(fieldOf('email'))}${field({
  ...fieldOf('full_name'),
  label: t('Full name'),
  value: form.fullName,
  hint: t('Other users see this name.'),
  autocomplete: 'name',
})}${newPasswordField({ ...fieldOf('password'), organization: realm.name })}${selectField({
  name: 'email_address_visibility',
  label: t('Who can see your email address?'),
  hint: t('You can change this in your settings.'),
  chosen: form.visibility || String(usual),
  among: VISIBILITIES,
})}${form.imported !== null && importFields(form.imported, errors)}${timeZoneField()}<button>${t('Join {realm}', { realm: realm.name })}</button>
</form>
<p>${rich('Already have an account? <a>Sign in</a>', { a: linkTo('/login/') })}</p>
`,
  })
}

const VISIBILITIES = [
  { value: String(AddressVisibility.everyone), label: t('Everyone, including guests') },
  { value: String(AddressVisibility.members), label: t('Members') },
  { value: String(AddressVisibility.moderators), label: t('Moderators and administrators') },
  { value: String(AddressVisibility.administrators), label: t('Administrators') },
  { value: String(AddressVisibility.nobody), label: t('Nobody') },
]

const invitedAs = (inviter: string, role: Role): string =>
  t(
    '{inviter} invited you as {role, select, owner {an owner} administrator {an administrator} moderator {a moderator} guest {a guest} other {a member}}.',
    { inviter, role: roleKey(role) },
  )

function addressField(invitation: Invitation, given: string, rest: FieldState): Html {
  const line = { ...rest, label: t('Email'), type: 'email', autocomplete: 'email' } as const
  if (isByEmail(invitation)) return field({ ...line, value: invitation.email, isReadOnly: true })
  const { allowedDomains } = invitation
  const hint =
    allowedDomains.length === 0
      ? undefined
      : t('Use an address at {domains}.', { domains: oneOf.format(allowedDomains) })
  return field({ ...line, value: given, hint })
}

const oneOf = new Intl.ListFormat('en', { type: 'disjunction' })

/** The maximum number of names that are listed. The remaining names are only counted. */
const MAX_NAMES = 12

/**
 * Lists the channels and groups that the new account joins, and when the invitation expires. Empty rows are left out.
 */
function summary({ expiresAt }: Invitation, { channels, groups }: InvitationGrants): Html {
  const rows: [string, string | Html][] = [
    [t('Channels'), list(channels.map(({ name }) => `#${name}`))],
    [t('Groups'), list(groups.map(({ name }) => name))],
    [t('Expires'), expiresAt === null ? t('Never') : moment(expiresAt)],
  ]
  return html`<dl>
${rows.map(([term, value]) => value !== '' && html`<dt>${term}</dt><dd>${value}</dd>\n`)}</dl>
`
}

function list(names: readonly string[]): string {
  const rest = names.length - MAX_NAMES
  const shown = names.slice(0, MAX_NAMES).join(', ')
  return rest > 0 ? t('{shown}, and {rest} more', { shown, rest }) : shown
}

/** Returns the page that warns users who are logged in that joining creates another account. */
export function alreadySignedInPage(realm: Realm, user: User, path: string): HttpResponse {
  return renderPage({
    heading: t('You are logged in as {name}', { name: user.fullName }),
    organization: realm,
    content: html`<p>${t('This link creates another account at {realm}, in addition to your account with {email}.', { realm: realm.name, email: user.deliveryEmail })}</p>
<p><a class="button" href="/">${t('Continue as {name}', { name: user.fullName })}</a></p>
<p><a href="${path}?another">${t('Join with another account')}</a></p>
`,
  })
}
